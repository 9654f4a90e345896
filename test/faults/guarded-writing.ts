import type { Hold } from '../../src/index.ts';
import { tell } from './redis/programs/tell.ts';

/** The register that a lock guards: it refuses a write with an older fence than the last one. */
interface Register {
  write(fence: bigint, value: number): Promise<boolean>;
}

interface GuardedWriting {
  readonly hold: Hold;
  readonly register: Register;
  /** A pause between two acts that is longer than this was a stop of the process. */
  readonly stoppedForMs: number;
  /** Called in the first act after the stop. */
  readonly onAwake?: (fence: bigint) => void;
}

const PERIOD_MS = 5;

/**
 * Writes to the register every few milliseconds, each time after asking the hold, and tells what came of the first acts after
 * this process was stopped. Returns what ends it.
 */
export function writeGuarded({ hold, register, stoppedForMs, onAwake }: GuardedWriting): () => void {
  // Taken out once: from here on the program does not ask the hold for them, so what `lost` says it says by itself.
  const { fence, lost } = hold;
  tell('held', { fence });
  let writes = 0;
  let lastAt = performance.now();
  const acting = setInterval(() => {
    const now = performance.now();
    const wasStopped = now - lastAt > stoppedForMs;
    lastAt = now;
    if (wasStopped) {
      clearInterval(acting);
      tell('awake', { refusedBy: refusalOf(hold) });
      // Behind all timers that were due: the end of the first turn of the loop.
      setImmediate(() => tell('end of first turn', { lost: lost.aborted }));
      onAwake?.(fence);
      return;
    }
    if (refusalOf(hold) === undefined) void write();
  }, PERIOD_MS);
  return () => clearInterval(acting);

  async function write(): Promise<void> {
    writes += 1;
    const number = writes;
    if (await register.write(fence, number)) {
      if (number === 1) tell('writing');
    } else {
      tell('refused', { number });
    }
  }
}

/** Why the hold refuses a guarded act; undefined if it does not. */
function refusalOf(hold: Hold): string | undefined {
  try {
    hold.throwIfLost();
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
