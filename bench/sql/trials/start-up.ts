import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Trial, TrialContestant } from '../../trial.ts';

/** Resolved when the trial starts: a run that only lists this trial needs no installed contestants. */
const cli = (): string =>
  fileURLToPath(new URL('dist/cli/main.js', import.meta.resolve('holdfast/package.json')));
const node = 'node -e 0';
const run = 'holdfast run x -- true';
const version = 'holdfast --version';

/** A round is one start, however long it takes. */
function contestant(name: string, argsOf: () => readonly string[]): TrialContestant {
  return {
    name,
    open: async (_port, folder) => ({
      round: async () => {
        const env = { ...process.env, HOLDFAST_URL: `sqlite:${join(folder, 'locks.db')}` };
        const args = argsOf();
        const startedAt = performance.now();
        const { status } = spawnSync(process.execPath, args, { env, stdio: 'ignore' });
        if (status !== 0) throw new Error(`${name} ended with ${status}`);
        return { ms: performance.now() - startedAt };
      },
      close: async () => undefined,
    }),
  };
}

export const startUp: Trial = {
  name: 'start of the command line',
  engine: 'sqlite',
  contestants: [
    contestant(node, () => ['-e', '0']),
    contestant(version, () => [cli(), '--version']),
    contestant(run, () => [cli(), 'run', 'x', '--', 'true']),
  ],
  columns: [{ figure: 'ms', digits: 1 }],
  promises: [
    {
      text: `time, ${run} to ${node}`,
      of: [run, node],
      value: (figureOf) => figureOf(run, 'ms') / figureOf(node, 'ms'),
      bound: { atMost: 2.5 },
      over: 'median',
    },
  ],
  pace: {
    full: { rounds: 31, warmUpRounds: 2, roundMs: 0 },
    quick: { rounds: 7, warmUpRounds: 1, roundMs: 0 },
  },
  story: {
    about:
      'A script runs a program under a lock, from the start of `holdfast` to its end: what is paid for each line of a ' +
      'crontab. The floor is Node itself, which starts and does nothing.',
    figure: 'ms',
    better: 'less',
    ours: run,
    floors: [node],
  },
};
