// `npm run bench:start-up`: what `holdfast run x -- true` costs on the embedded engine, beside `node -e 0`. Both are
// started in every round, in a new order each time. Exits with 1 if it is more than we promise.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interleaved } from './interleaved.ts';
import { machine } from './machine.ts';
import { planOf } from './plan.ts';
import { median, ratio } from './statistics.ts';

const MOST = 2.5;
const folder = mkdtempSync(join(tmpdir(), 'holdfast-start-up-'));
const cli = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const env = { ...process.env, HOLDFAST_URL: `sqlite:${join(folder, 'locks.db')}` };

const node = { name: 'node -e 0', args: ['-e', '0'], times: [] as number[] };
const run = { name: 'holdfast run x -- true', args: [cli, 'run', 'x', '--', 'true'], times: [] as number[] };
const version = { name: 'holdfast --version', args: [cli, '--version'], times: [] as number[] };

const { load, cores, cpu, node: release } = machine();
console.log(`Node ${release}, ${cores} x ${cpu}, load average ${load.toFixed(2)}`);
try {
  await interleaved(
    [node, run, version],
    planOf({ rounds: 31, warmUpRounds: 2, roundMs: 0 }),
    async ({ args, times }, counts) => {
      const startedAt = performance.now();
      const { status } = spawnSync(process.execPath, args, { env, stdio: 'ignore' });
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`);
      if (counts) times.push(performance.now() - startedAt);
    },
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const { name, times } of [node, version, run])
  console.log(
    `${name.padEnd(24)} ${median(times).toFixed(1).padStart(6)} ms  ${ratio(times, node.times).toFixed(2)} x`,
  );
const actual = ratio(run.times, node.times);
const kept = actual <= MOST;
console.log(
  `${kept ? 'ok  ' : 'FAIL'}  holdfast run x -- true is ${actual.toFixed(2)} x node -e 0, at most ${MOST}`,
);
process.exitCode = kept ? 0 : 1;
