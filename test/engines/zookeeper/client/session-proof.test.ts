import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SessionProof } from '../../../../src/engines/zookeeper/client/session/session-proof.ts';

const SESSION_MS = 4_000;
const TICK_MS = 2_000;
/** 1 % and 20 ms. */
const MARGIN_MS = 60;

describe('how long a session certainly lives', () => {
  test('a handshake is a proof, from the time it was sent', () => {
    const proof = new SessionProof();
    proof.recordConnect(1_000, SESSION_MS);
    expect(proof.deadline).toBe(1_000 + SESSION_MS - MARGIN_MS);
  });

  test('one answered sync proves nothing, nor do two', () => {
    const proof = new SessionProof();
    proof.recordConnect(0, SESSION_MS);
    expect(proof.recordAnswer(500, 510)).toBe(false);
    expect(proof.recordAnswer(1_600, 1_610)).toBe(false);
    expect(proof.recordAnswer(1_610, 1_620)).toBe(true);
    expect(proof.deadline).toBe(500 + SESSION_MS - MARGIN_MS);
  });

  test('syncs that are closer than the leader asks prove nothing', () => {
    const proof = new SessionProof();
    proof.recordConnect(0, SESSION_MS);
    for (const sentAt of [500, 700, 900, 1_100, 1_300, 1_500])
      expect(proof.recordAnswer(sentAt, sentAt + 10)).toBe(false);
  });

  test('what one server has noted is no proof on another', () => {
    const proof = new SessionProof();
    proof.recordConnect(0, SESSION_MS);
    proof.recordAnswer(500, 510);
    proof.recordAnswer(1_600, 1_610);
    proof.recordConnect(1_605, SESSION_MS);
    expect(proof.recordAnswer(1_620, 1_630)).toBe(false);
    expect(proof.deadline).toBe(1_605 + SESSION_MS - MARGIN_MS);
  });

  /**
   * A model of a follower and its leader: touches are passed on only by the reply to the leader's question, and each direction
   * between them is a queue with delays of its own, which may be cut at any moment.
   */
  test('is never later than the leader ends the session, whatever the delays and whenever the follower is cut off', () => {
    const delay = fc.integer({ min: 0, max: 300 });
    fc.assert(
      fc.property(
        fc.array(delay, { minLength: 40, maxLength: 40 }),
        fc.integer({ min: 0, max: TICK_MS / 2 - 1 }),
        fc.integer({ min: 1, max: 12_000 }),
        (delays, firstQuestionAt, cutAt) => {
          const { deadline, leaderEndsAt } = simulate(delays, firstQuestionAt, cutAt);
          expect(deadline).toBeLessThanOrEqual(leaderEndsAt);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

interface Outcome {
  readonly deadline: number;
  readonly leaderEndsAt: number;
}

/** A client that beats every seventh, as SessionHeartbeat does; `delays` are used in turn for every hop. */
function simulate(delays: readonly number[], firstQuestionAt: number, cutAt: number): Outcome {
  const proof = new SessionProof();
  proof.recordConnect(0, SESSION_MS);
  let leaderTouchedAt = 0;
  let used = 0;
  const delay = (): number => delays[used++ % delays.length]!;
  const events: { at: number; order: number; run: (now: number) => void }[] = [];
  let order = 0;
  const at = (time: number, run: (now: number) => void): void => {
    events.push({ at: time, order: order++, run });
  };

  /** A queue: nothing overtakes, and nothing sent after the cut, or under way at it, arrives. */
  const channel = (): ((now: number, deliver: (now: number) => void) => void) => {
    let lastArrival = 0;
    return (now, deliver) => {
      lastArrival = Math.max(lastArrival, now + delay());
      const arrival = lastArrival;
      at(arrival, (then) => {
        if (then < cutAt) deliver(then);
      });
    };
  };
  const toLeader = channel();
  const toFollower = channel();

  let hasTouch = false;
  const question = (now: number): void => {
    if (now > 20_000) return;
    toFollower(now, (asked) => {
      if (!hasTouch) return;
      hasTouch = false;
      toLeader(asked, (told) => {
        leaderTouchedAt = told;
      });
    });
    at(now + TICK_MS / 2, question);
  };
  at(firstQuestionAt, question);

  let isAsked = false;
  const ask = (now: number, then: (now: number) => void): void => {
    isAsked = true;
    at(now + delay(), (received) => {
      hasTouch = true;
      toLeader(received, (forwarded) => {
        toFollower(forwarded, (synced) => {
          at(synced + delay(), (answeredAt) => {
            isAsked = false;
            proof.recordAnswer(now, answeredAt);
            then(answeredAt);
          });
        });
      });
    });
  };
  const beat = (now: number): void => {
    if (now > 20_000) return;
    if (!isAsked) ask(now, (answeredAt) => ask(answeredAt, () => undefined));
    at(now + SESSION_MS / 7, beat);
  };
  at(SESSION_MS / 7, beat);

  while (events.length > 0) {
    events.sort((one, other) => one.at - other.at || one.order - other.order);
    const next = events.shift()!;
    next.run(next.at);
  }
  return { deadline: proof.deadline, leaderEndsAt: leaderTouchedAt + SESSION_MS };
}
