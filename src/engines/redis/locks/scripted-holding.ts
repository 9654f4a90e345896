import { type MaybeAsync, type Pending, mapAnswer } from '../../../spi/maybe-async.ts';
import type { AcquireAsk, OwnerAsk, Released } from '../../../spi/verbs/holding.ts';
import { type OpenAcquisition, Acquisitions } from './acquisitions.ts';
import { NOT_PERMITTED, releasedOf } from './answers.ts';
import type { Answered } from '../requests/call.ts';
import type { Reply } from '../driver.ts';
import type { PubSub } from '../messages/pub-sub-mode.ts';
import type { RedisContext } from '../redis-context.ts';
import type { ScriptCall } from '../requests/script.ts';

/** What differs between the synchronizers that scripts grant. */
export interface HoldingForm<Ask extends AcquireAsk, Release extends OwnerAsk, Answer> {
  readonly kind: string;
  /** The key that selects the server of a cluster. */
  readonly key: (name: string) => string;
  readonly channel: (name: string) => string;
  /** The id of an acquisition, unique where one owner may have a write and the read under it. */
  readonly id: (ask: Ask | Release) => string;
  readonly acquire: (name: string, ask: Ask, notAfterMs: number, pubSub: PubSub) => ScriptCall;
  /** Reads the reply to an acquisition. Gets a grant only if enough replicas have confirmed it. */
  readonly read: (reply: readonly Reply[], ask: Ask, name: string) => Answer;
  readonly release: (name: string, ask: Release, tombstoneMs: number, pubSub: PubSub) => ScriptCall;
  /**
   * No waiter of this process asks the server while one of its owners holds: the message of a release is for other clients
   * only, and must not look to this client like the release of another holder (soundness 15).
   */
  readonly tellsOnlyOthers?: true;
  /** The release that undoes the grant that this ask may have received. */
  readonly undo: (ask: Ask) => Release;
}

export interface ScriptedHolding<Ask extends AcquireAsk, Release extends OwnerAsk, Answer> {
  readonly acquire: (name: string, ask: Ask) => Pending<Answer>;
  readonly release: (name: string, ask: Release) => MaybeAsync<Released>;
}

/** Acquires and releases in spite of lost replies, copies and too few replicas, for every kind of hold. */
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
    return learnMode(name).then((learnt) => sendAcquire(name, ask, acquisition, learnt));
  }

  function sendAcquire(name: string, ask: Ask, acquisition: OpenAcquisition, mode: PubSub): Pending<Answer> {
    const prepare = (notAfterMs: number) =>
      acquisitions.beginSending(acquisition, notAfterMs)
        ? form.acquire(name, ask, notAfterMs, mode)
        : undefined;
    return scripts.sendLimited({ kind, name, key: form.key(name), prepare }, (answered) => {
      acquisitions.recordAnswer(acquisition, answered.copies);
      const granted = answered.reply[0] === 'granted';
      if (granted && !scripts.replicas.isConfirmed(answered)) return undo(name, ask, answered);
      // A refused single attempt has no later release: another copy of it would be granted to no owner.
      if (!granted && !ask.wait && acquisitions.has(acquisition.id))
        client.background(release(name, form.undo(ask)));
      return form.read(answered.reply, ask, name);
    });
  }

  async function undo(name: string, ask: Ask, answered: Answered): Promise<never> {
    await release(name, form.undo(ask));
    throw scripts.replicas.errorFor(answered, scripts.subject(kind, name));
  }

  function release(name: string, ask: Release): MaybeAsync<Released> {
    const id = form.id(ask);
    const tombstoneMs = acquisitions.withdraw(form.key(name), id);
    const mode = pubSub.known;
    if (mode !== undefined) return sendRelease(name, ask, tombstoneMs, mode);
    return learnMode(name).then((learnt) => sendRelease(name, ask, tombstoneMs, learnt));
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
      // An earlier copy whose reply was lost has released the hold: no other client can have, because the id is used only once.
      return copies > 1 ? { kind: 'released', others: 1 } : releasedOf(reply, ours);
    });
    return cancelEcho === undefined ? released : cancelIfFailed(released, cancelEcho);
  }

  async function learnMode(name: string): Promise<PubSub> {
    return pubSub.get(() => scripts.subject(kind, name));
  }

  return { acquire, release };
}

/** A release that has failed may have sent no message: there is no echo to wait for. */
function cancelIfFailed(released: Pending<Released>, cancelEcho: () => void): MaybeAsync<Released> {
  return mapAnswer(
    released,
    (answer) => answer,
    (error) => {
      cancelEcho();
      throw error;
    },
  );
}

/** The `read` of forms whose protocols read the reply themselves. */
export function asItIs(reply: readonly Reply[]): readonly Reply[] {
  return reply;
}
