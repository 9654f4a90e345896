// Ends a client at each of its steps, where `npm test` chooses one in 4 to 40: `npm run test:every-step`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const vitest = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));
const args = [vitest, 'run', 'ended-at-every-step', ...process.argv.slice(2)];
const env = { ...process.env, HOLDFAST_EVERY_STEP: '1' };
process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit', env }).status ?? 1;
