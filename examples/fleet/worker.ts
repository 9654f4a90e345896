// One worker of the fleet, started by the demo with its name and the address of Redis. It serves customers, one worker at a time for
// each of them; it leads if it is elected; and it has the schedule of a report that one worker of the fleet writes.
import { setTimeout as sleep } from 'node:timers/promises';
import { Cron } from 'croner';
import { connect } from 'holdfast';
import { CUSTOMERS, ELECTION, LEASE_MS, type News, REPORT_EVERY_MS } from './news.ts';

const [name = 'worker', url = 'redis://127.0.0.1:6379'] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
// Ctrl-C in a terminal reaches each process of the demo, which ends its workers itself.
process.on('SIGINT', () => undefined);
// The demo has died, by whatever death.
process.once('disconnect', () => process.exit(1));

const locks = await connect(url, { name, renewalLeaseMs: LEASE_MS });

function tell(news: News): void {
  if (process.connected) process.send?.(news, () => undefined);
}

/** Serves a customer that no other worker serves. */
async function serve(customer: string): Promise<void> {
  await locks.lock(customer).run(
    async ({ fence, lost }) => {
      tell({ what: 'holds', name: customer, fence: String(fence) });
      await sleep(300 + Math.random() * 900, undefined, { signal: lost });
      tell({ what: 'done', name: customer });
    },
    { signal: stop.signal },
  );
}

async function serveCustomers(): Promise<void> {
  while (!stop.signal.aborted) {
    const customer = CUSTOMERS[Math.floor(Math.random() * CUSTOMERS.length)]!;
    await serve(customer).catch((error: unknown) => {
      if (!stop.signal.aborted) tell({ what: 'failed', name: String(error) });
    });
  }
}

async function lead(): Promise<void> {
  await locks.election(ELECTION).lead(
    async (signal, { fence }) => {
      tell({ what: 'leads', name: ELECTION, fence: String(fence) });
      while (!signal.aborted) await sleep(500, undefined, { signal });
    },
    { signal: stop.signal, value: name },
  );
}

/** Each worker has the schedule. The one that gets the lock of a fire writes its report; `minHoldMs` keeps the lock from late ones. */
const schedule = new Cron(`*/${REPORT_EVERY_MS / 1000} * * * * *`, async () => {
  const fire = new Date(Math.round(Date.now() / REPORT_EVERY_MS) * REPORT_EVERY_MS)
    .toISOString()
    .slice(11, 19);
  const hold = await locks.lock(`report:${fire}`).tryAcquire({ minHoldMs: 2 * REPORT_EVERY_MS });
  if (hold === null) return;
  tell({ what: 'reported', name: fire, fence: String(hold.fence) });
  await hold.release();
});

await Promise.all([serveCustomers(), lead()]);
schedule.stop();
await locks.close();
if (process.connected) process.disconnect();
