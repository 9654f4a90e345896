import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Reply } from '../driver.ts';
import type { RedisContext } from '../redis-context.ts';
import type { Script } from '../requests/script.ts';
import { latchCountDown, latchLook, latchReset, latchTrySetCount } from '../scripts.generated.ts';

const kind = 'latch';

/** How long a change of rounds can be seen: far longer than it takes a waiter to look, also through a failover. */
const ROUND_MS = 60 * 60 * 1000;

interface LatchKeys {
  readonly latch: string;
  readonly mark: string;
  readonly round: string;
}

interface Limits {
  readonly notAfterMs: number;
  readonly markMs: number;
  readonly publish: string;
  readonly channel: string;
  readonly roundMs: number;
}

/**
 * The latch, in the layout of Redisson's `RCountDownLatch`: a bare number that goes when it reaches zero. A number does
 * not remember who has counted, so each change leaves a mark for its request until no copy of it can come. Nor does it
 * say that it was gone in between: a key beside it changes with each opening and closing by one of us.
 */
export function latchProtocol({ scripts, channels, client, keys, pubSub }: RedisContext): Protocols['latch'] {
  async function change<Args extends object>(
    name: string,
    script: Script<[LatchKeys, Args & Limits]>,
    args: Args,
  ): Promise<Reply | undefined> {
    const { publish } = await pubSub.get(() => scripts.subject(kind, name));
    const latch = keys.of(name);
    const own = { latch, mark: keys.mark(name, client.ids.next()), round: keys.latchRound(name) };
    const limits = {
      markMs: scripts.markMs,
      publish,
      channel: keys.latchChannel(name),
      roundMs: ROUND_MS,
    };
    const answered = await scripts.runLimited({
      kind,
      name,
      key: latch,
      prepare: (notAfterMs) => script(own, { ...args, ...limits, notAfterMs }),
    });
    return answered.reply[2];
  }

  return {
    trySetCount: async (name, { count }) => ({
      set: Number(await change(name, latchTrySetCount, { count })) === 1,
    }),
    countDown: async (name, { by }) => ({ count: Number(await change(name, latchCountDown, { by })) }),
    reset: async (name, { count }) => ({ count: Number(await change(name, latchReset, { count })) }),
    look: async (name) => {
      const own = { latch: keys.of(name), round: keys.latchRound(name) };
      const [count, round] = await scripts.read({ kind, name, key: own.latch, ...latchLook(own) });
      return { count: Math.max(0, Number(count)), round: round === '' ? undefined : Number(round) };
    },
    watch: async (name, _owner, heard) => {
      const { subscribe } = pubSub.known ?? (await pubSub.get(() => scripts.subject(kind, name)));
      return channels.watch(subscribe, keys.latchChannel(name), heard, scripts.subject('latch', name));
    },
  };
}
