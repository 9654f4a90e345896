import type { Held } from '../../src/rules/lease.ts';
import type { Facts } from '../../src/spi/rule.ts';
import type { Stepped } from './holding-kind.ts';
import type { JavaAction } from './holding-programs.ts';
import { JAVA } from './lock-kind.ts';
import { UNIT_MS } from './model-time.ts';
import type { ProgramWorld } from './program-world.ts';
import { holdersOf, holdKey, type RedisReadWriteState } from './read-write-state.ts';

type Done = Omit<Stepped<RedisReadWriteState, unknown>, 'answer'>;

/** What RReadWriteLock does, written with plain commands: a thread that reads, once or twice, and one that writes. */
export async function javaReadWriteLock(
  world: ProgramWorld,
  state: RedisReadWriteState,
  { turn, units }: JavaAction,
  facts: Facts,
): Promise<Done> {
  const holders = holdersOf(state, facts.now);
  const isFree = holders.read.length + holders.write.length === 0;
  const reads = holders.read.some(({ owner }) => owner === JAVA);
  if (reads) return turn < 3 ? stopReading(world, { ...state, holders }, facts) : { state };
  if (holders.write[0]?.owner === JAVA) return turn < 3 ? stopWriting(world, state) : { state };
  if (holders.write.length > 0) return { state };
  // A reader that has died there is found by the next one who leaves, and not by this one.
  if (!isFree && state.fields.includes(JAVA)) return { state };
  const current = isFree ? { ...state, fields: [] } : state;
  if (turn < 4)
    return read(world, { ...current, holders }, turn % 2 === 0 ? [units] : [units, units + 2], facts);
  return isFree ? write(world, current, units, facts) : { state };
}

function held(units: number, facts: Facts, fence: number): Held {
  return { owner: JAVA, until: facts.now + units * UNIT_MS, fence, fences: 1 };
}

async function read(
  world: ProgramWorld,
  state: RedisReadWriteState,
  counts: readonly number[],
  facts: Facts,
): Promise<Done> {
  const { name } = world;
  const entered = counts.map((units) => held(units, facts, 0));
  await world.command(name, 'HSET', 'mode', 'read', JAVA, counts.length);
  for (const [at, units] of counts.entries()) {
    await world.command(holdKey(world, JAVA, at + 1), 'SET', 1, 'PX', units * UNIT_MS);
  }
  const all = [...state.holders.read, ...entered];
  await world.command(name, 'PEXPIRE', Math.max(...all.map(({ until }) => until)) - facts.now);
  return {
    state: { ...state, holders: { read: all, write: [] }, fields: [...state.fields, JAVA] },
  };
}

async function stopReading(world: ProgramWorld, state: RedisReadWriteState, facts: Facts): Promise<Done> {
  const { keys, name } = world;
  const left = state.holders.read.filter(({ owner }) => owner !== JAVA);
  const fields = state.fields.filter((owner) => owner !== JAVA);
  for (const count of [1, 2]) await world.command(holdKey(world, JAVA, count), 'DEL');
  if (left.length > 0) {
    await world.command(name, 'HDEL', JAVA);
    await world.command(name, 'PEXPIRE', Math.max(...left.map(({ until }) => until)) - facts.now);
    return { state: { ...state, holders: { read: left, write: [] }, fields } };
  }
  await world.command(name, 'DEL');
  await world.publish(keys.readWriteChannel(name), '0');
  return {
    state: { ...state, holders: { read: [], write: [] }, fields: [] },
    sent: [{ channel: keys.readWriteChannel(name), payload: '0' }],
  };
}

async function write(
  world: ProgramWorld,
  state: RedisReadWriteState,
  units: number,
  facts: Facts,
): Promise<Done> {
  await world.command(world.name, 'HSET', 'mode', 'write', `${JAVA}:write`, 2);
  await world.command(world.name, 'PEXPIRE', units * UNIT_MS);
  return { state: { ...state, holders: { read: [], write: [held(units, facts, state.fence)] } } };
}

async function stopWriting(world: ProgramWorld, state: RedisReadWriteState): Promise<Done> {
  const { keys, name } = world;
  await world.command(name, 'DEL');
  await world.publish(keys.readWriteChannel(name), '1');
  return {
    state: { ...state, holders: { read: [], write: [] }, fields: [] },
    sent: [{ channel: keys.readWriteChannel(name), payload: '1' }],
  };
}
