import { type MaybeAsync, type Pending, mapAnswer } from '../../../spi/maybe-async.ts';
import type { AcquireAsk, OwnerAsk, Released } from '../../../spi/verbs/holding.ts';
import { type OpenAcquisition, Acquisitions } from './acquisitions.ts';
import { NOT_PERMITTED, releasedOf } from './answers.ts';
import type { Answered } from '../requests/call.ts';
import type { Reply } from '../driver.ts';
import type { PubSub } from '../messages/pub-sub-mode.ts';
import type { RedisContext } from '../redis-context.ts';
import type { ScriptCall } from '../requests/script.ts';

/** What differs between the things that scripts let somebody hold. */
export interface HoldingForm<Ask extends AcquireAsk, Release extends OwnerAsk> {
  readonly kind: string;
  /** The key that decides which server of a cluster is asked. */
  readonly key: (name: string) => string;
  readonly channel: (name: string) => string;
  /** Tells acquisitions apart: one id may stand for a write and the read under it. */
  readonly id: (ask: Ask | Release) => string;
  readonly acquire: (name: string, ask: Ask, notAfterMs: number, pubSub: PubSub) => ScriptCall;
  readonly release: (name: string, ask: Release, tombstoneMs: number, pubSub: PubSub) => ScriptCall;
  /**
   * Nobody of this process waits at the server while one of it holds: what we tell when we release is for others only,
   * and must not make us believe that another has come and gone (soundness 15).
   */
  readonly tellsOnlyOthers?: true;
  /** The release that takes back what this ask may have brought. */
  readonly undo: (ask: Ask) => Release;
}

export interface ScriptedHolding<Ask extends AcquireAsk, Release extends OwnerAsk> {
  /** What the script answered; a grant only if enough replicas have confirmed it. */
  readonly acquire: (name: string, ask: Ask) => Pending<readonly Reply[]>;
  /** The same, read on arrival: one promise less for what is asked most often. */
  readonly acquireAndRead: <T>(name: string, ask: Ask, read: (reply: readonly Reply[]) => T) => Pending<T>;
  readonly release: (name: string, ask: Release) => MaybeAsync<Released>;
}

const asItIs = (reply: readonly Reply[]): readonly Reply[] => reply;

/** Acquisitions and releases that survive lost answers, copies and too few replicas, whatever it is that is held. */
export function scriptedHolding<Ask extends AcquireAsk, Release extends OwnerAsk>(
  parts: RedisContext,
  form: HoldingForm<Ask, Release>,
): ScriptedHolding<Ask, Release> {
  const { calls, channels, client, pubSub } = parts;
  const { kind } = form;
  const acquisitions = new Acquisitions(calls);

  function acquireAndRead<T>(name: string, ask: Ask, read: (reply: readonly Reply[]) => T): Pending<T> {
    const acquisition = acquisitions.begin(form.id(ask));
    const mode = pubSub.known;
    if (mode !== undefined) return asked(name, ask, acquisition, mode, read);
    return Promise.resolve(pubSub.get(() => calls.subject(kind, name))).then((learnt) =>
      asked(name, ask, acquisition, learnt, read),
    );
  }

  function asked<T>(
    name: string,
    ask: Ask,
    acquisition: OpenAcquisition,
    mode: PubSub,
    read: (reply: readonly Reply[]) => T,
  ): Pending<T> {
    const prepare = (notAfterMs: number) =>
      acquisitions.sending(acquisition, notAfterMs) ? form.acquire(name, ask, notAfterMs, mode) : undefined;
    return calls.timed({ kind, name, key: form.key(name), prepare }, (answered) => {
      acquisitions.answered(acquisition, answered.copies);
      const granted = answered.reply[0] === 'granted';
      if (granted && !calls.isConfirmed(answered)) return undone(name, ask, answered);
      // A single attempt withdraws nothing when it is refused: another copy of it would be let in for nobody.
      if (!granted && !ask.wait && acquisitions.has(acquisition.id))
        client.background(release(name, form.undo(ask)));
      return read(answered.reply);
    });
  }

  async function undone(name: string, ask: Ask, answered: Answered): Promise<never> {
    await release(name, form.undo(ask));
    throw calls.notConfirmed(answered, kind, name);
  }

  function release(name: string, ask: Release): MaybeAsync<Released> {
    const id = form.id(ask);
    const tombstoneMs = acquisitions.withdraw(form.key(name), id);
    const mode = pubSub.known;
    if (mode !== undefined) return givenBack(name, ask, tombstoneMs, mode);
    return Promise.resolve(pubSub.get(() => calls.subject(kind, name))).then((learnt) =>
      givenBack(name, ask, tombstoneMs, learnt),
    );
  }

  function givenBack(name: string, ask: Release, tombstoneMs: number, mode: PubSub): MaybeAsync<Released> {
    const { source, command, spelledOut } = form.release(name, ask, tombstoneMs, mode);
    const channel = form.channel(name);
    const ours = channels.isSubscribed(channel) ? 1 : 0;
    const noEcho = ours > 0 && form.tellsOnlyOthers ? channels.expectEcho(channel) : undefined;
    const call = { kind, name, key: form.key(name), source, command, spelledOut };
    const released = calls.answered(call, ({ reply, copies }): Released => {
      if (tombstoneMs > 0) acquisitions.over(form.id(ask));
      if (reply[1] === NOT_PERMITTED) {
        noEcho?.();
        channels.refused(channel);
      }
      if (reply[0] === 'released') return releasedOf(reply, ours);
      noEcho?.();
      // An earlier copy whose answer was lost has released it: nobody else can have, for the id is used only once.
      return copies > 1 ? { kind: 'released', others: 1 } : releasedOf(reply, ours);
    });
    if (noEcho === undefined) return released;
    return mapAnswer(
      released,
      (answer) => answer,
      (error) => {
        noEcho();
        throw error;
      },
    );
  }

  return { acquire: (name, ask) => acquireAndRead(name, ask, asItIs), acquireAndRead, release };
}
