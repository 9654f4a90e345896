import type { Facts } from '../../src/spi/rule.ts';
import type { Stepped } from './holding-kind.ts';
import type { JavaAction } from './holding-programs.ts';
import { UNIT_MS } from './model-time.ts';
import type { ProgramWorld } from './program-world.ts';
import { counted, type CounterState } from './counter-state.ts';

type Done = Omit<Stepped<CounterState, unknown>, 'answer'>;

/** What RSemaphore does, written with plain commands. */
export async function javaBareSemaphore(
  world: ProgramWorld,
  given: CounterState,
  { turn, which, units }: JavaAction,
  facts: Facts,
): Promise<Done> {
  const { keys, name } = world;
  const state = counted(given, facts);
  const { free } = state;
  const some = 1 + (which % 3);
  const told = async (payload: number): Promise<{ channel: string; payload: string }[]> => {
    const sent = { channel: keys.semaphoreChannel(name), payload: String(payload) };
    await world.publish(sent.channel, sent.payload);
    return [sent];
  };
  switch (turn) {
    case 0:
      await world.command(name, 'INCRBY', some);
      return { state: { ...state, free: (free ?? 0) + some }, sent: await told((free ?? 0) + some) };
    case 1:
    case 2:
      if (free === undefined || free < some) return { state };
      await world.command(name, 'DECRBY', some);
      return { state: { ...state, free: free - some } };
    case 3: {
      // Permits are taken away: what is left may be less than none, and the number loses its time.
      const less = (free ?? 0) - some;
      await world.command(name, 'SET', less);
      return { state: { ...state, free: less, until: Infinity }, sent: await told(less) };
    }
    case 4:
      if (free !== undefined) return { state };
      await world.command(name, 'SET', some, 'PX', units * UNIT_MS);
      return { state: { ...state, free: some, until: facts.now + units * UNIT_MS }, sent: await told(some) };
    default:
      if (free === undefined) return { state };
      await world.command(name, 'SET', 0);
      return { state: { ...state, free: 0, until: Infinity } };
  }
}
