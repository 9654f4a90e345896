// One leader among all processes of a service. A leader that is stopped hands over at once; if one dies, another leads when its lease
// (or, on ZooKeeper, its session) has ended.
//
// Start it several times, and stop the leader with Ctrl-C or `kill`: another process leads within milliseconds.
//
//   HOLDFAST_URL=redis://127.0.0.1:6379 node leader-with-hand-over.ts
//
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'holdfast';

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
process.once('SIGINT', () => stop.abort());

const me = `${hostname()}, pid ${process.pid}`;
const locks = await connect();

// Campaigns, leads, and campaigns again if it loses the leadership. Resolves when `stop` aborts, after it has resigned.
await locks.election('scheduler').lead(
  async (signal, leadership) => {
    console.log(`${me}: leads with fence ${leadership.fence}`);
    while (!signal.aborted) {
      // One piece of the leader's work. Send leadership.fence with each write, so that the resource can refuse an earlier leader.
      await sleep(1000, undefined, { signal });
    }
  },
  { signal: stop.signal, value: me },
);

await locks.close();
console.log(`${me}: stopped`);
