import assert from 'node:assert/strict';
import { AcquireTimeoutError, type Factories, type Lock } from '../../index.ts';
import type { Bench } from './bench.ts';
import { assertRejects } from './coded-error.ts';

/** The first time-out that names a holder: one on a busy machine may end before the store has answered who it is. */
export async function explainedTimeout<K extends keyof Factories>(
  bench: Bench<K>,
  thing: Lock,
  engine: string,
  timeoutMs: number,
): Promise<AcquireTimeoutError> {
  let error: unknown;
  await bench.until(async () => {
    error = await assertRejects(() => thing.acquire({ timeoutMs }), 'ACQUIRE_TIMEOUT', engine);
    assert.ok(error instanceof AcquireTimeoutError);
    return error.holder !== undefined;
  });
  return error as AcquireTimeoutError;
}
