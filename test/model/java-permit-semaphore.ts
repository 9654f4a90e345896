import type { Facts } from '../../src/spi/rule.ts';
import type { Stepped } from './holding-kind.ts';
import type { JavaAction } from './holding-programs.ts';
import { UNIT_MS } from './model-time.ts';
import { type RedisPermitsState, takenBy } from './permits-state.ts';
import type { ProgramWorld } from './program-world.ts';

type Done = Omit<Stepped<RedisPermitsState, unknown>, 'answer'>;

const NEVER = 922_337_203_685_477;
const TOTALS = [3, 3, 2, 4];

/** Sixteen bytes that are text, so that they travel as such. */
function memberOf(n: number): string {
  return `${String(n).padStart(4, '0')}-java-permit`;
}

const hex = (text: string): string => Buffer.from(text).toString('hex');
const textOf = (id: string): string => Buffer.from(id, 'hex').toString();
const isJava = (id: string): boolean => textOf(id).endsWith('-java-permit');

/** What RPermitExpirableSemaphore does, written with plain commands. */
export async function javaPermitSemaphore(
  world: ProgramWorld,
  state: RedisPermitsState,
  { turn, which, units }: JavaAction,
  facts: Facts,
): Promise<Done> {
  const { keys, name } = world;
  const deadlines = keys.permitDeadlines(name);
  const { total, holders } = state;
  const told = async (payload: number): Promise<{ channel: string; payload: string }[]> => {
    const sent = { channel: keys.semaphoreChannel(name), payload: String(payload) };
    await world.publish(sent.channel, sent.payload);
    return [sent];
  };
  const permits = holders.filter(({ owner }) => isJava(owner));
  const one = permits[which % Math.max(1, permits.length)];
  if (total === undefined) {
    await world.command(name, 'SET', TOTALS[0]!);
    return { state: { ...state, total: TOTALS[0] }, sent: await told(TOTALS[0]!) };
  }
  if (turn === 4) {
    const next = TOTALS[which % TOTALS.length]!;
    if (next === total) return { state };
    await world.command(name, 'INCRBY', next - total);
    return { state: { ...state, total: next }, sent: await told(next) };
  }
  if (turn > 1 && one !== undefined) {
    await world.command(deadlines, 'ZREM', textOf(one.owner));
    await world.command(name, 'INCR');
    const left = holders.filter((held) => held !== one);
    return { state: { ...state, holders: left }, sent: await told(total - takenBy(left)) };
  }
  if (total - takenBy(holders) < 1) return { state };
  const member = memberOf(world.nextId());
  const { atMs } = await world.stored();
  const until = turn === 0 ? Infinity : facts.now + units * UNIT_MS;
  await world.command(name, 'DECR');
  await world.command(deadlines, 'ZADD', turn === 0 ? NEVER : atMs + units * UNIT_MS, member);
  const held = { owner: hex(member), until, permits: 1, fence: 0, fences: 1 };
  return { state: { ...state, holders: [...holders, held] } };
}
