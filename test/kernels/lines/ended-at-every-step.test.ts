import type { Synchronizers } from 'holdfast';
import { expect, test } from 'vitest';
import { chosenSteps } from '../../fixtures/ended-at-every-step.ts';
import { useEverySynchronizer } from '../../fixtures/every-synchronizer.ts';
import { LineFleet, type LineMember } from '../../fixtures/lines/line-fleet.ts';
import { UncaughtErrors } from '../../fixtures/uncaught-errors.ts';

/** Longer than a session: what a client has left behind ends with it. */
const LATER_MS = 20_000;
const USUAL_STRIDE = 20;
/** A client that closes waits 5 s for what it has under way, and then 2 s for the end of its session; here all messages take 1 ms. */
const LONGEST_CLOSE_MS = 7500;
/** The latency of one way. Messages of two clients then overtake each other. */
const LATENCY_MS = 1;

type End = (subject: LineMember, fleet: LineFleet) => unknown;

const close: End = async ({ locks }, { clock }) => {
  const since = clock.now();
  await locks.close();
  expect(clock.now() - since).toBeLessThan(LONGEST_CLOSE_MS);
};
const breakOff: End = ({ link }) => link.breakConnection();
const silence: End = ({ link }) => void link.silence();
const endSession: End = ({ link }, { server }) => {
  if (link.session !== undefined) server.end(link.session);
};

/** What happens at a step. */
const ENDS: Readonly<Record<string, readonly End[]>> = {
  'the client closes': [close],
  'the connection breaks': [breakOff],
  'the store falls silent': [silence],
  'the session ends': [endSession],
  'the client closes and the connection breaks': [close, breakOff],
  'the client closes and the store falls silent': [close, silence],
  'the client closes and its session ends': [close, endSession],
};

/** Its semaphore is one line, and in the cases that end a session also one of leases. */
const CASES = Object.entries(ENDS).flatMap(([of, ends]) => [
  { of, ends, leasesPermits: false },
  ...(ends.includes(endSession) ? [{ of: `${of}, with leases`, ends, leasesPermits: true }] : []),
]);

// A client uses every line and every document at once. Once for each message that it sends or receives, its end comes behind that
// message. No promise of the library may reject without a handler: that ends a process. And nothing of the client is left.
test.each(CASES)(
  'no rejection is unhandled when $of at any step',
  async ({ ends, leasesPermits }) => {
    using rejections = new UncaughtErrors();
    const { first, stride } = chosenSteps(USUAL_STRIDE);
    let chosen = first;
    for (let isReached = true; isReached; chosen += stride) {
      isReached = await endAt(chosen, ends, leasesPermits);
      expect(await rejections.soFar(), `at step ${chosen}`).toStrictEqual([]);
    }
    expect(chosen, `only ${chosen} steps were taken`).toBeGreaterThan(200);
  },
  120_000,
);

/** Answers whether the client has come to the chosen step. */
async function endAt(chosen: number, ends: readonly End[], leasesPermits: boolean): Promise<boolean> {
  const fleet = new LineFleet({ latencyMs: LATENCY_MS });
  let taken = 0;
  let ending: Promise<unknown> | undefined;
  await fleet.run(async () => {
    const subject: LineMember = fleet.open({
      label: 'subject',
      leasesPermits,
      onMessage: () => {
        // Behind the message: it is on its way by then, and the link has ended its own step.
        if (++taken !== chosen) return;
        queueMicrotask(() => {
          ending = Promise.all(ends.map((end) => end(subject, fleet)));
        });
      },
    });
    const rival = fleet.open({ label: 'rival', leasesPermits });
    const uses = useEverySynchronizer({
      subject: subject.locks as unknown as Synchronizers,
      rival: rival.locks as unknown as Synchronizers,
      sleep: (ms) => fleet.clock.sleep(ms),
      prefix: '',
    });
    await fleet.clock.sleep(LATER_MS);
    await ending;
    await close(subject, fleet);
    await rival.locks.close();
    await Promise.all(uses);
    await fleet.clock.sleep(LATER_MS);
  });
  return taken >= chosen;
}
