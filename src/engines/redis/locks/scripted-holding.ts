import { type MaybeAsync, type Pending, mapAnswer } from '../../../spi/maybe-async.ts';
import type { AcquireAsk, OwnerAsk, Released } from '../../../spi/verbs/holding.ts';
import { type OpenAcquisition, Acquisitions } from './acquisitions.ts';
import { NOT_PERMITTED, releasedOf } from './answers.ts';
import type { Answered } from '../requests/call.ts';
import type { Reply } from '../driver.ts';
import type { PubSub } from '../messages/pub-sub-mode.ts';
import type { RedisContext } from '../redis-context.ts';
import type { ScriptCall } from '../requests/script.ts';

/** What differs between the things that scripts grant. */
export interface HoldingForm<Ask extends AcquireAsk, Release extends OwnerAsk, Answer> {
  readonly kind: string;
  /** The key that decides which server of a cluster is asked. */
  readonly key: (name: string) => string;
  readonly channel: (name: string) => string;
  /** Tells acquisitions apart: one id may stand for a write and the read under it. */
  readonly id: (ask: Ask | Release) => string;
  readonly acquire: (name: string, ask: Ask, notAfterMs: number, pubSub: PubSub) => ScriptCall;
  /** What the script answered to an acquisition; a grant only if enough replicas have confirmed it. */
  readonly read: (reply: readonly Reply[], ask: Ask) => Answer;
  readonly release: (name: string, ask: Release, tombstoneMs: number, pubSub: PubSub) => ScriptCall;
  /**
   * No waiter of this process is at the server while one of its owners holds: what a release tells is for others only, and
   * must not make this client believe that another has come and gone (soundness 15).
   */
  readonly tellsOnlyOthers?: true;
  /** The release that takes back what this ask may have brought. */
  readonly undo: (ask: Ask) => Release;
}

export interface ScriptedHolding<Ask extends AcquireAsk, Release extends OwnerAsk, Answer> {
  readonly acquire: (name: string, ask: Ask) => Pending<Answer>;
  readonly release: (name: string, ask: Release) => MaybeAsync<Released>;
}

/** Acquisitions and releases that survive lost answers, copies and too few replicas, whatever it is that is held. */
export function scriptedHolding<Ask extends AcquireAsk, Release extends OwnerAsk, Answer>(
  parts: RedisContext,
  form: HoldingForm<Ask, Release, Answer>,
): ScriptedHolding<Ask, Release, Answer> {
  const { scripts, channels, client, pubSub } = parts;
  const { kind } = form;
  const acquisitions = new Acquisitions(scripts);

  function acquire(name: string, ask: Ask): Pending<Answer> {
    const acquisition = acquisitions.begin(form.id(ask));
    const mode = pubSub.known;
    if (mode !== undefined) return sendAcquire(name, ask, acquisition, mode);
    return Promise.resolve(pubSub.get(() => scripts.subject(kind, name))).then((learnt) =>
      sendAcquire(name, ask, acquisition, learnt),
    );
  }

  function sendAcquire(name: string, ask: Ask, acquisition: OpenAcquisition, mode: PubSub): Pending<Answer> {
    const prepare = (notAfterMs: number) =>
      acquisitions.beginSending(acquisition, notAfterMs)
        ? form.acquire(name, ask, notAfterMs, mode)
        : undefined;
    return scripts.sendLimited({ kind, name, key: form.key(name), prepare }, (answered) => {
      acquisitions.recordAnswer(acquisition, answered.copies);
      const granted = answered.reply[0] === 'granted';
      if (granted && !scripts.isConfirmed(answered)) return undo(name, ask, answered);
      // A single attempt withdraws nothing when it is refused: another copy of it would be granted to no owner.
      if (!granted && !ask.wait && acquisitions.has(acquisition.id))
        client.background(release(name, form.undo(ask)));
      return form.read(answered.reply, ask);
    });
  }

  async function undo(name: string, ask: Ask, answered: Answered): Promise<never> {
    await release(name, form.undo(ask));
    throw scripts.notConfirmed(answered, kind, name);
  }

  function release(name: string, ask: Release): MaybeAsync<Released> {
    const id = form.id(ask);
    const tombstoneMs = acquisitions.withdraw(form.key(name), id);
    const mode = pubSub.known;
    if (mode !== undefined) return sendRelease(name, ask, tombstoneMs, mode);
    return Promise.resolve(pubSub.get(() => scripts.subject(kind, name))).then((learnt) =>
      sendRelease(name, ask, tombstoneMs, learnt),
    );
  }

  function sendRelease(name: string, ask: Release, tombstoneMs: number, mode: PubSub): MaybeAsync<Released> {
    const { source, command, expandReply } = form.release(name, ask, tombstoneMs, mode);
    const channel = form.channel(name);
    const ours = channels.isSubscribed(channel) ? 1 : 0;
    const cancelEcho = ours > 0 && form.tellsOnlyOthers ? channels.expectEcho(channel) : undefined;
    const call = { kind, name, key: form.key(name), source, command, expandReply };
    const released = scripts.send(call, ({ reply, copies }): Released => {
      if (tombstoneMs > 0) acquisitions.end(form.id(ask));
      if (reply[1] === NOT_PERMITTED) {
        cancelEcho?.();
        channels.warnOfRefusal(channel);
      }
      if (reply[0] === 'released') return releasedOf(reply, ours);
      cancelEcho?.();
      // An earlier copy whose answer was lost has released it: no other client can have, for the id is used only once.
      return copies > 1 ? { kind: 'released', others: 1 } : releasedOf(reply, ours);
    });
    if (cancelEcho === undefined) return released;
    return mapAnswer(
      released,
      (answer) => answer,
      (error) => {
        cancelEcho();
        throw error;
      },
    );
  }

  return { acquire, release };
}

/** For forms whose protocols read the reply themselves. */
export function asItIs(reply: readonly Reply[]): readonly Reply[] {
  return reply;
}
