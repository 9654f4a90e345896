// 1,000 faults over a cluster of etcd, where `npm test` injects 40: `npm run test:etcd-storm`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const args = [vitest, 'run', 'test/faults/etcd/storm', ...process.argv.slice(2)];
const env = { HOLDFAST_STORM: '1000', ...process.env };
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
