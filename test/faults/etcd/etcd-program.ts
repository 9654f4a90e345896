import { fileURLToPath } from 'node:url';
import { Program } from '../redis/program.ts';

const built = new URL('../../../.build/programs/test/faults/etcd/programs/', import.meta.url);

/** Starts one of the programs beside this file as a process of its own. */
export function startEtcdProgram(name: string, plan: object): Program {
  return new Program(name, [fileURLToPath(new URL(`${name}.js`, built)), JSON.stringify(plan)]);
}
