import { fileURLToPath } from 'node:url';
import { Program } from '../faults/redis/program.ts';

const built = new URL('../../.build/programs/test/interop/programs/', import.meta.url);

/** Starts one of the programs beside this file as a Node process of its own. `plan` is what it is to do. */
export function startNode(name: string, plan: object): Program {
  return new Program(name, [fileURLToPath(new URL(`${name}.js`, built)), JSON.stringify(plan)]);
}
