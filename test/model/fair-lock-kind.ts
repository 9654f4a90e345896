import { fairLockForm } from '../../src/engines/redis/locks/fair-lock-form.ts';
import { lockProtocol } from '../../src/engines/redis/locks/lock-protocol.ts';
import type { OwnerId } from '../../src/spi/rule.ts';
import type { LockAsk } from '../../src/spi/verbs/lock.ts';
import {
  acquireFair,
  type FairLockState,
  type FairPlace,
  forceFair,
  releaseFair,
  remembered,
} from './fair-lock-rule.ts';
import type { HoldingKind } from './holding-kind.ts';
import { javaFairLock } from './java-fair-lock.ts';
import { lockKind } from './lock-kind.ts';
import { JAVA_WAIT_MS } from './program-world.ts';

function shown({ owner, deadline, ours }: FairPlace, now: number): object {
  return {
    owner,
    remainingMs: deadline === undefined ? null : deadline - now,
    contributedMs: ours?.contributed ?? null,
    keptMs: ours === undefined ? null : ours.keptUntil - now,
    letInMs: ours?.letInMs ?? null,
    offeredForMs: ours?.letInMs ? now - ours.offeredAt : null,
    fences: ours?.fences ?? null,
  };
}

export const fairLockKind: HoldingKind<FairLockState, LockAsk> = {
  ...lockKind,
  ask: (owner, wish) => {
    const ask = lockKind.ask(owner, wish);
    return wish.letIn ? { ...ask, handOff: true } : ask;
  },
  knowsWaiters: true,
  free: { fence: 0, holder: null, queue: [], line: [], rememberedUntil: 0 },
  protocol: (parts) => lockProtocol(parts, fairLockForm(parts)),
  rule: (place) => {
    const { keys, name } = place;
    const plain = lockKind.rule(place);
    const sent = (told: OwnerId | undefined, fence = 0) =>
      told === undefined ? [] : [{ channel: `${keys.lockChannel(name)}:${told}`, payload: String(fence) }];
    return {
      acquire: (given, ask, facts) => {
        const { state, answer, told } = acquireFair(given, ask, facts, JAVA_WAIT_MS);
        return { state, answer, sent: sent(told) };
      },
      release: (given, { owner }, facts) => {
        const { state, answer, told, letInWith } = releaseFair(given, owner, facts);
        return { state, answer, sent: sent(told, letInWith) };
      },
      renew: (state, ask, facts) => {
        const { state: after, answer } = plain.renew(state, ask, facts);
        return { state: { ...state, ...after }, answer };
      },
      force: (given, ask, facts) => {
        const { state: freed, answer } = plain.force!(given, ask, facts);
        if (answer.kind === 'not-forced') return { state: given, answer };
        const { state, told } = forceFair({ ...given, ...freed }, facts);
        return { state, answer, sent: sent(told) };
      },
      raise: (state, ask, facts) => {
        const { state: after, answer } = plain.raise!(state, ask, facts);
        return { state: { ...state, ...after }, answer };
      },
    };
  },
  look: (state, facts) => {
    const { line } = remembered(state, facts.now);
    const waiters = line.reduce((sum, { ours }) => sum + (ours?.fences ?? 1), 0);
    return { ...lockKind.look(state, facts), waiters };
  },
  seen: (look) => look,
  expected: (state, now) => ({
    ...lockKind.expected(state, now),
    line: remembered(state, now).line.map((one) => shown(one, now)),
  }),
  stored: (stored, place) => {
    const { keys, name } = place;
    const deadlines = stored.deadlines(keys.fairDeadlines(name));
    const contributions = new Map(stored.pairs(keys.fairContributions(name)));
    const line = stored.list(keys.fairQueue(name));
    return {
      ...lockKind.stored(stored, place),
      line: line.map((owner) => {
        const [contributed, keptUntil, letInMs, offeredAt, fences] =
          contributions.get(owner)?.split(' ').map(Number) ?? [];
        return {
          owner,
          remainingMs: deadlines.get(owner) ?? null,
          contributedMs: contributed ?? null,
          keptMs: keptUntil === undefined ? null : keptUntil - stored.atMs,
          letInMs: letInMs ?? null,
          offeredForMs: offeredAt ? stored.atMs - offeredAt : null,
          fences: fences ?? null,
        };
      }),
      ...([...deadlines.keys()].some((owner) => !line.includes(owner)) && {
        strangers: [...deadlines.keys()],
      }),
    };
  },
  java: javaFairLock,
};
