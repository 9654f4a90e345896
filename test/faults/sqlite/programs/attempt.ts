// Tries to take a lock once, as a client that may do less than we if that is wanted, and tells what came of it.
import { isHoldfastError } from '../../../../src/index.ts';
import { sqlite } from '../../../../src/engines/sqlite/index.ts';
import { plan, tell } from '../../redis/programs/tell.ts';

interface Plan {
  readonly file: string;
  /** How many locks to take one after the other. */
  readonly times: number;
  readonly as?: number;
}

const { file, times, as } = plan() as Plan;
if (as !== undefined) {
  process.setgid?.(as);
  process.setuid?.(as);
}
const locks = sqlite({ file, commandTimeoutMs: 500 });
try {
  for (let time = 0; time < times; time++) await locks.lock(`${'name '.repeat(80)}${time}`).acquire();
  tell('taken');
} catch (error) {
  if (!isHoldfastError(error)) throw error;
  tell('refused', { code: error.code, message: error.message });
}
process.exit();
