import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Program } from '../../faults/redis/program.ts';

const built = new URL('../../../.build/programs/test/engines/sql-native/programs/', import.meta.url);

/** Starts the program beside this file as a process of its own. */
export function startNativeUser(plan: object): Program {
  const file = fileURLToPath(new URL('native-user.js', built));
  if (!existsSync(file))
    throw new Error('native-user.js is not there. `npm test` builds it before it runs the tests.');
  return new Program('native-user', [file, JSON.stringify(plan)]);
}
