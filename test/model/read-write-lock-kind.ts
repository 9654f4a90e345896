import { readWriteLockProtocol } from '../../src/engines/redis/locks/read-write-lock-protocol.ts';
import { nextFence } from '../../src/rules/fence.ts';
import { grantedAnswer, type Held } from '../../src/rules/lease.ts';
import { readWriteLockRule } from '../../src/rules/read-write-lock.ts';
import type { Facts, OwnerId } from '../../src/spi/rule.ts';
import type { ReadWriteAsk } from '../../src/spi/verbs/read-write-lock.ts';
import type { HoldingKind } from './holding-kind.ts';
import { javaReadWriteLock } from './java-read-write-lock.ts';
import { UNIT_MS } from './model-time.ts';
import { holdersOf, holdKey, type RedisReadWriteState } from './read-write-state.ts';

const { verbs: rule } = readWriteLockRule;

/** The state as it is now: no client is in the hash any more when there is none. */
function settled(state: RedisReadWriteState, { now }: Facts): RedisReadWriteState {
  const holders = holdersOf(state, now);
  const isGone = holders.read.length + holders.write.length === 0;
  return { ...state, holders, fields: isGone ? [] : state.fields };
}

function longestOf(held: readonly Held[]): number {
  return Math.max(...held.map(({ until }) => until));
}

/** The writer is in for as long as the hash is, and that for as long as any client reads under it. */
function underWrite(state: RedisReadWriteState): RedisReadWriteState {
  const { read, write } = state.holders;
  const [writer] = write;
  if (writer === undefined || read.length === 0) return state;
  const until = Math.max(writer.until, longestOf(read));
  return { ...state, holders: { read, write: [{ ...writer, until }] } };
}

function fenceOf({ owner, fence }: Held): number {
  return owner.startsWith('java:') ? 0 : fence;
}

function views(held: readonly Held[], facts: Facts, fence?: number): readonly object[] {
  return held
    .map((one) => ({ owner: one.owner, fence: fence ?? fenceOf(one), remainingMs: one.until - facts.now }))
    .toSorted((a, b) => (a.owner < b.owner ? -1 : 1));
}

/** A reader of Java may be in twice; what counts is the longer time. */
function merged(held: readonly Held[]): readonly Held[] {
  return held.filter((one) => held.every((other) => other.owner !== one.owner || other.until <= one.until));
}

export const readWriteLockKind: HoldingKind<RedisReadWriteState, ReadWriteAsk> = {
  free: { fence: 0, holders: { read: [], write: [] }, waiting: { read: [], write: [] }, fields: [] },
  protocol: (parts) => {
    const protocol = readWriteLockProtocol(parts);
    // When the hash was to end that a reader joined is a hint for the keeper. To a rule it means nothing.
    return {
      ...protocol,
      acquire: async (name, ask) => {
        const answer = await protocol.acquire(name, ask);
        if (answer.kind !== 'granted') return answer;
        const { cutToMs: _hint, ...granted } = answer;
        return granted;
      },
    };
  },
  ask: (owner, { leaseUnits, interestUnits, wait, side }) => ({
    owner,
    leaseMs: leaseUnits * UNIT_MS,
    interestMs: interestUnits * UNIT_MS,
    wait,
    side,
  }),
  under: (held, { leaseUnits }, owner) =>
    held.side === 'write'
      ? { ...held, owner, side: 'read', leaseMs: leaseUnits * UNIT_MS, under: held.owner }
      : undefined,
  id: ({ owner, side }) => `${owner}:${side}`,
  keysOf: (id, place) => [holdKey(place, id), `holdfast_read_until:{${place.name}}`],
  linesUp: ({ side }) => side === 'write',
  rule: ({ keys, name }) => {
    const sent = (payload: string) => [{ channel: keys.readWriteChannel(name), payload }];
    return {
      acquire: (given, ask, facts) => {
        const state = settled(given, facts);
        const [writer] = state.holders.write;
        const own = state.holders[ask.side].find(({ owner }) => owner === ask.owner);
        if (own !== undefined) return { state, answer: grantedAnswer(own, facts) };
        const under =
          ask.side === 'read' && writer !== undefined && writer.owner === (ask.under ?? ask.owner);
        // To the rule, who reads under a write is the writer.
        const asked = { ...ask, owner: under ? writer.owner : ask.owner, wait: false };
        const others = under ? { ...state, holders: { ...state.holders, read: [] } } : state;
        const { state: entered, answer } = rule.acquire(others, asked, facts);
        if (answer.kind === 'busy' && writer !== undefined) {
          return {
            state,
            answer: { ...answer, againInMs: Math.min(ask.interestMs / 3, writer.until - facts.now) },
          };
        }
        if (answer.kind !== 'granted') return { state, answer };
        // And it shares the fence of the write.
        const fence = under ? state.fence : entered!.fence;
        const held = { ...entered!.holders[ask.side].at(-1)!, owner: ask.owner, fence };
        const holders = { ...state.holders, [ask.side]: [...state.holders[ask.side], held] };
        const added = ask.side === 'read' && !state.fields.includes(ask.owner) ? [ask.owner] : [];
        return {
          state: underWrite({ ...state, fence, holders, fields: [...state.fields, ...added] }),
          answer: { ...answer, fence },
        };
      },
      release: (given, { owner, side }, facts) => {
        const state = settled(given, facts);
        const { read, write } = state.holders;
        const fields = side === 'read' ? state.fields.filter((one) => one !== owner) : state.fields;
        // Java tells those who wait, too, when there is nothing that could be released.
        if (read.length + write.length === 0) {
          return { state, answer: { kind: 'not-held' }, sent: sent(side === 'read' ? '0' : '1') };
        }
        const left = state.holders[side].filter((one) => one.owner !== owner);
        const after = { ...state, holders: { ...state.holders, [side]: left }, fields };
        if (left.length === state.holders[side].length) {
          return { state: { ...state, fields }, answer: { kind: 'not-held' } };
        }
        if (side === 'write') {
          return { state: after, answer: { kind: 'released', others: 0 }, sent: sent('1') };
        }
        const isLast = left.length + write.length === 0;
        return {
          state: after,
          answer: { kind: 'released', others: 0 },
          sent: isLast ? sent('0') : [],
        };
      },
      renew: (given, ask, facts) => {
        const step = rule.renew(given, ask, facts);
        return { state: underWrite({ ...given, ...step.state }), answer: step.answer };
      },
      // The writer and whatever it reads; or all readers, or the one that has the fence, while no client writes.
      force: (given, { side, fence, owner }, facts) => {
        const state = settled(given, facts);
        const { read, write } = state.holders;
        const raised = { ...state, fence: nextFence(state.fence, facts) };
        const none = { state, answer: { kind: 'not-forced' as const } };
        const hashMs = longestOf(write.length > 0 ? write : read) - facts.now;
        if (side === 'write') {
          const [writer] = write;
          if (writer === undefined || (fence ?? state.fence) !== state.fence) return none;
          if ((owner ?? writer.owner) !== writer.owner) return none;
          const holder = { owner: writer.owner, fence: state.fence, remainingMs: hashMs };
          return {
            state: { ...raised, holders: { read: [], write: [] }, fields: [] },
            answer: { kind: 'forced', holder },
            sent: sent('1'),
          };
        }
        const fenceAt = (field: OwnerId): number => {
          const held = read.find((one) => one.owner === field);
          return held === undefined ? 0 : fenceOf(held);
        };
        const meant = state.fields.filter(
          (field) =>
            (owner ?? field) === field && (fence === undefined || (fence > 0 && fenceAt(field) === fence)),
        );
        const [first] = meant;
        if (write.length > 0 || first === undefined) return none;
        const left = read.filter((one) => !meant.includes(one.owner));
        return {
          state: {
            ...raised,
            holders: { read: left, write: [] },
            fields: left.length === 0 ? [] : state.fields.filter((field) => !meant.includes(field)),
          },
          answer: { kind: 'forced', holder: { owner: first, fence: fenceAt(first), remainingMs: hashMs } },
          sent: left.length === 0 ? sent('0') : [],
        };
      },
    };
  },
  look: (state, facts) => {
    const { read, write } = holdersOf(state, facts.now);
    return { writer: views(write, facts, state.fence)[0], readers: views(merged(read), facts) };
  },
  seen: (look) => {
    const { writer, readers } = look as { writer: unknown; readers: readonly { owner: string }[] };
    return { writer, readers: readers.toSorted((a, b) => (a.owner < b.owner ? -1 : 1)) };
  },
  expected: (state, now) => {
    const { read, write } = holdersOf(state, now);
    if (read.length + write.length === 0) return {};
    return {
      mode: write.length > 0 ? 'write' : 'read',
      hashMs: longestOf(write.length > 0 ? write : read) - now,
      writer: write[0]?.owner,
      readers: read
        .map(({ owner, until, fence }) => ({
          owner,
          remainingMs: until - now,
          value: owner.startsWith('java:') ? '1' : String(fence),
        }))
        .toSorted(byOwnerAndTime),
    };
  },
  stored: (stored, place) => {
    const fields = new Map(stored.pairs(place.name));
    if (fields.size === 0) return {};
    const readers = [...fields]
      .filter(([owner]) => owner !== 'mode' && !owner.endsWith(':write'))
      .flatMap(([owner, count]) => Array.from({ length: Number(count) }, (_, at) => ({ owner, at: at + 1 })))
      .map(({ owner, at }) => ({ owner, key: holdKey(place, owner, at) }))
      .filter(({ key }) => stored.text(key) !== undefined)
      .map(({ owner, key }) => ({ owner, remainingMs: stored.remainingMs(key), value: stored.text(key) }));
    return {
      mode: fields.get('mode'),
      hashMs: stored.remainingMs(place.name),
      writer: [...fields.keys()].find((field) => field.endsWith(':write'))?.slice(0, -':write'.length),
      readers: readers.toSorted(byOwnerAndTime),
    };
  },
  java: javaReadWriteLock,
};

type Reader = { readonly owner: OwnerId; readonly remainingMs: number };

function byOwnerAndTime(a: Reader, b: Reader): number {
  return a.owner === b.owner ? a.remainingMs - b.remainingMs : a.owner < b.owner ? -1 : 1;
}
