import type { Protocols } from '../../kernels/protocols.ts';
import type { Reply } from './driver.ts';
import type { RedisParts } from './redis-parts.ts';
import type { Script } from './script.ts';
import { counterLook, latchCountDown, latchReset, latchTrySetCount } from './scripts.generated.ts';

const kind = 'latch';

interface Limits {
  readonly notAfterMs: number;
  readonly markMs: number;
  readonly publish: string;
  readonly channel: string;
}

/**
 * The latch, in the layout of Redisson's `RCountDownLatch`: a bare number that goes when it reaches zero. A number does
 * not remember who has counted, so each change leaves a mark for its request until no copy of it can come.
 */
export function latchProtocol({ calls, channels, client, keys, pubSub }: RedisParts): Protocols['latch'] {
  async function changed<Args extends object>(
    name: string,
    script: Script<[{ readonly latch: string; readonly mark: string }, Args & Limits]>,
    args: Args,
  ): Promise<Reply | undefined> {
    const { publish } = await pubSub.get();
    const latch = keys.of(name);
    const own = { latch, mark: keys.mark(name, client.ids.next()) };
    const limits = { markMs: calls.markMs, publish, channel: keys.latchChannel(name) };
    const answered = await calls.timed({
      kind,
      name,
      key: latch,
      prepare: (notAfterMs) => script(own, { ...args, ...limits, notAfterMs }),
    });
    return answered.reply[2];
  }

  return {
    trySetCount: async (name, { count }) => ({
      set: Number(await changed(name, latchTrySetCount, { count })) === 1,
    }),
    countDown: async (name, { by }) => ({ count: Number(await changed(name, latchCountDown, { by })) }),
    reset: async (name, { count }) => ({ count: Number(await changed(name, latchReset, { count })) }),
    look: async (name) => {
      const counter = keys.of(name);
      const [count] = await calls.run({ kind, name, key: counter, ...counterLook({ counter }) });
      return { count: Math.max(0, Number(count)) };
    },
    watch: async (name, _owner, heard) => {
      const { subscribe } = pubSub.known ?? (await pubSub.get());
      return channels.watch(subscribe, keys.latchChannel(name), heard);
    },
  };
}
