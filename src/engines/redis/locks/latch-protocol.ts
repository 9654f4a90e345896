import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Reply } from '../driver.ts';
import type { RedisContext } from '../redis-context.ts';
import type { Script } from '../requests/script.ts';
import { latchCountDown, latchLook, latchReset, latchTrySetCount } from '../scripts.generated.ts';

const kind = 'latch';

/** How long a change of rounds stays visible: far longer than a waiter takes to look, also through a failover. */
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
 * The latch, in the layout of Redisson's `RCountDownLatch`: a bare number that is deleted when it reaches zero. The number
 * does not remember requests, so each change leaves a mark until no copy of its request can arrive. Nor does the number show
 * that it was deleted and set again in between: a second key changes whenever this library opens or closes the latch.
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
