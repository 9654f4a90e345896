// A job that runs once a period, however many machines start it.
//
// Let cron start this program on every machine at the same minute. One of them runs the job, the others skip it: also one that is
// seconds late and starts when the job has already ended. With `minHoldMs` the lock stays taken after its release, after close() and
// after the end of the process, until that time is over by the clock of the store.
//
//   HOLDFAST_URL=redis://127.0.0.1:6379 node cron-once-a-period.ts
//
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'holdfast';

/** How often cron starts this program. */
const PERIOD_MS = Number(process.env.PERIOD_MS ?? 60 * 60_000);

/** Stands for your job. */
async function writeReport(signal: AbortSignal): Promise<void> {
  await sleep(20, undefined, { signal });
}

// The address is in HOLDFAST_URL. Without it: a file that all processes of this machine share.
const locks = await connect();

// Shorter than the period: cron is never exact, and the next run must find the lock free.
const hold = await locks.lock('report').tryAcquire({ minHoldMs: 0.9 * PERIOD_MS });
if (hold === null) {
  console.log('skipped: another process runs the report, or has run it in this period');
} else {
  try {
    await writeReport(hold.lost);
    console.log('ran the report');
  } finally {
    // A job that failed is not tried again in this period either: how far it came is not known.
    await hold.release();
  }
}
await locks.close();
