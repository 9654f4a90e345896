import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Program } from '../redis/program.ts';

const built = new URL('../../../.build/programs/test/faults/sqlite/programs/', import.meta.url);

/** Starts one of the programs beside this file as a process of its own. */
export function startSqliteProgram(name: string, plan: object): Program {
  return new Program(name, [fileURLToPath(new URL(`${name}.js`, built)), JSON.stringify(plan)]);
}

/** Whether processes can be put apart as containers are: on Linux, and not by every user. */
export const canPutApart =
  process.platform === 'linux' && spawnSync('unshare', ['--net', 'true'], { stdio: 'ignore' }).status === 0;

/** The same in a network namespace of its own: it shares files with the others, and no socket. */
export function startApart(name: string, plan: object): Program {
  const file = fileURLToPath(new URL(`${name}.js`, built));
  return new Program(name, ['--net', process.execPath, file, JSON.stringify(plan)], 'unshare');
}

/** The same with files that cannot grow beyond so many blocks of 512 bytes: as a full disk, for this process alone. */
export function startWithinBlocks(blocks: number, name: string, plan: object): Program {
  const file = fileURLToPath(new URL(`${name}.js`, built));
  const script = `trap '' XFSZ; ulimit -f ${blocks}; exec "$0" "$@"`;
  return new Program(name, ['-c', script, process.execPath, file, JSON.stringify(plan)], 'sh');
}
