import type { Synchronizers } from '../../src/index.ts';
import type { WireHooks } from '../fixtures/hooked-wire.ts';
import { ending, type Stage, warmUp } from './stage.ts';

/** A way to the store that can be cut: nothing arrives then, and nothing that was sent is answered. */
export class Cable {
  isCut = false;
  /** Only attempts to acquire are lost. */
  losesAttempts = false;
  /** Only watches are lost: those that are begun while it does. */
  losesWatches = false;
  /** It is cut when the answer to the next call of this verb has arrived. */
  cutAfter: string | undefined;
  sent = 0;
  readonly hooks: WireHooks;

  constructor(batchesWaiters = false) {
    this.hooks = {
      batchesWaiters,
      out: ({ verb }) => {
        this.sent++;
        return this.isCut || (this.losesAttempts && verb === 'acquire') ? 'lost' : undefined;
      },
      beatOut: () => (this.isCut ? 'lost' : undefined),
      watch: () => (this.isCut || this.losesWatches ? 'lost' : undefined),
      arrived: ({ verb }) => {
        if (verb === this.cutAfter) this.isCut = true;
      },
    };
  }

  heal(): void {
    this.isCut = false;
    this.cutAfter = undefined;
  }
}

export async function connected(
  stage: Stage,
  label = 'far',
  batchesWaiters = false,
): Promise<{ client: Synchronizers; cable: Cable }> {
  const cable = new Cable(batchesWaiters);
  const client = stage.far(label, cable.hooks);
  await warmUp(client);
  return { client, cable };
}

/** What a call ends with, and after how long. */
export async function timed<T>(stage: Stage, call: () => Promise<T>): Promise<readonly [T | string, number]> {
  const start = stage.clock.now();
  const end = await ending(call());
  return [end, stage.clock.now() - start];
}
