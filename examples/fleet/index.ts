// A fleet at work, while one of its workers is killed every few seconds: `npm run demo`, until Ctrl-C.
//
// Starts a Redis of its own, five workers that serve customers, elect a leader and have the schedule of a report, and the dashboard
// if the command line has it. Exits with 1 if two workers had what only one may have.
//
//   npm run demo -- --kill-every 3 --seconds 30
//
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { connect } from 'holdfast';
import { boardOf } from './board.ts';
import { startDashboard } from './dashboard.ts';
import { Fleet } from './fleet.ts';
import { LEASE_MS } from './news.ts';
import { startRedis } from './redis-server.ts';
import { say, showBoard, styled } from './screen.ts';

const WORKERS = 5;
const BOARD_EVERY_MS = 1_000;

const { values } = parseArgs({
  options: {
    'kill-every': { type: 'string', default: '5' },
    seconds: { type: 'string', default: 'Infinity' },
  },
});
const killEveryMs = Number(values['kill-every']) * 1000;
const until = performance.now() + Number(values.seconds) * 1000;

const stop = new AbortController();
const end = (): void => stop.abort();
process.once('SIGINT', end);
process.once('SIGTERM', end);

const redis = await startRedis();
const locks = await connect(redis.url, { name: 'demo' });
const fleet = new Fleet(redis.url, locks);
const dashboard = await startDashboard(redis.url);
say(styled('bold', `Redis at ${redis.url}, leases of ${LEASE_MS / 1000} s. Ctrl-C ends everything.`));
say(
  dashboard === undefined
    ? `No dashboard: this holdfast has no verb \`ui\`. Look with: HOLDFAST_URL=${redis.url} npx holdfast watch`
    : `Dashboard: ${dashboard.url}`,
);

try {
  for (let worker = 0; worker < WORKERS; worker++) fleet.start();
  let killAt = performance.now() + killEveryMs;
  while (!stop.signal.aborted && performance.now() < until) {
    await sleep(BOARD_EVERY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    if (stop.signal.aborted) break;
    if (performance.now() >= killAt) {
      killAt += killEveryMs;
      await fleet.killOne();
    }
    showBoard(await boardOf(locks, fleet));
  }
} finally {
  say('ending the workers, the dashboard and Redis …');
  await fleet.end();
  await dashboard?.end();
  await locks.close();
  await redis.end();
}
say(
  styled(
    fleet.faults === 0 ? ['bold', 'green'] : ['bold', 'red'],
    `${fleet.served} customers served, ${fleet.killed} workers killed, ${fleet.takenOver} holds taken over, ${fleet.faults} faults. Nothing is left.`,
  ),
);
process.exitCode = fleet.faults === 0 ? 0 : 1;
