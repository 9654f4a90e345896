import type { RepeatedRequest } from '../../../kernels/requests/requests.ts';
import type { CopiesSent } from '../../../kernels/requests/request-copies.ts';
import { NoAnswerError } from '../../../core/async/in-time.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Answered, Effect } from './call.ts';
import { sendConfirmed } from './confirming.ts';
import { answerOf, type ScriptCall, withSource } from './script.ts';
import type { ScriptConnections } from './script-connections.ts';
import { isUnknownScript, translated } from './server-errors.ts';
import { UnsentError } from './unsent-error.ts';

/** The state of the connections when a copy was sent. */
export interface SentCopy {
  /** Whether the copy left at once. */
  readonly wasUp: boolean;
  /** How many connections had been made. */
  readonly madeBefore: number;
}

export interface ScriptCopiesOptions {
  readonly connections: ScriptConnections;
  readonly commandTimeoutMs: number;
  readonly subject: ErrorSubject | undefined;
  readonly key: string;
  readonly prepared: ScriptCall;
  readonly effect: Effect;
  readonly confirm: boolean;
}

/**
 * Sends the copies of one script, and knows whether the server may have carried one out (soundness 3).
 *
 * A copy that no connection has carried waits in the client and has had no effect. With a limit it never will, unless a
 * connection comes up before the limit: then the client sends all that waits, also a copy that its caller has given up. So
 * the refusal of a later copy does not prove that nothing was done. A copy without a limit may still be carried out, so its
 * outcome stays unknown.
 */
export class ScriptCopies implements RepeatedRequest<Answered>, CopiesSent {
  readonly subject: ErrorSubject | undefined;
  readonly copies = this;
  readonly #options: ScriptCopiesOptions;
  #count = 0;
  #latest: SentCopy = { wasUp: false, madeBefore: 0 };
  #mayHaveArrived = false;
  /** How many connections had been made when the oldest copy that waits in the client was sent. */
  #madeBeforeWaiting = Infinity;

  constructor(options: ScriptCopiesOptions) {
    this.#options = options;
    this.subject = options.subject;
  }

  /** Continues after a first copy that `Scripts` sent itself. */
  follow(first: SentCopy): void {
    this.#count = 1;
    this.#latest = first;
  }

  get wasSent(): boolean {
    const { connections, effect, confirm } = this.#options;
    return (
      this.#mayHaveArrived || (effect !== 'reads' && connections.made(confirm) > this.#madeBeforeWaiting)
    );
  }

  /** Does nothing: a copy that waits in the client cannot be withdrawn, and its limit ends it. */
  giveUp(): void {}

  /** Sends one more copy. A server without the script has done nothing, so sending its source counts as the same copy. */
  readonly send = async (): Promise<Answered> => {
    const { prepared } = this.#options;
    this.#count++;
    try {
      return await this.#sendCommand(prepared.command);
    } catch (error) {
      if (!isUnknownScript(error)) throw error;
      this.#countCarriers();
      return this.#sendCommand(withSource(prepared));
    }
  };

  /** The first copy found a server without the script. */
  readonly sendSource = async (): Promise<Answered> => {
    this.#countCarriers();
    return this.#sendCommand(withSource(this.#options.prepared));
  };

  readonly failed = (error: unknown): unknown => {
    const { connections, key, confirm, effect, commandTimeoutMs } = this.#options;
    const carriers = this.#countCarriers();
    if (error instanceof UnsentError) return this.#unsent(error.refusal);
    const meaning = translated(error, connections.driver.topology);
    // Any other meaning is an answer by which the server has done nothing.
    if (meaning === error)
      this.#mayHaveArrived ||= effect === 'lasting' || (effect === 'limited' && carriers > 0);
    // A broken connection says less than what the server says to each new one.
    if (!(error instanceof NoAnswerError))
      return meaning === error ? (connections.driver.refusal?.() ?? error) : meaning;
    if (carriers === 0) this.#madeBeforeWaiting = Math.min(this.#madeBeforeWaiting, this.#latest.madeBefore);
    connections.suspect(key, confirm, commandTimeoutMs);
    return meaning;
  };

  /**
   * The race: an earlier copy waits in the client, and leaves if the server has room before the limit. Until then nothing is
   * decided, though this copy was not sent.
   */
  #unsent(refusal: Error): unknown {
    const { connections } = this.#options;
    const waits = this.#madeBeforeWaiting < Infinity;
    return waits ? refusal : translated(refusal, connections.driver.topology);
  }

  /** How many connections can have carried the latest copy. */
  #countCarriers(): number {
    const { connections, confirm, effect } = this.#options;
    const { wasUp, madeBefore } = this.#latest;
    const carriers = (wasUp ? 1 : 0) + connections.made(confirm) - madeBefore;
    // The client may have sent it again by itself on another connection, after the reply to the first was lost.
    if (carriers > 1 && effect !== 'reads') this.#mayHaveArrived = true;
    return carriers;
  }

  async #sendCommand(command: readonly string[]): Promise<Answered> {
    const { connections, key, prepared, confirm, effect } = this.#options;
    this.#latest = { wasUp: connections.isUp(key, confirm), madeBefore: connections.made(confirm) };
    const { confirming } = connections;
    if (confirm && confirming !== undefined) {
      const sent = await sendConfirmed(confirming, key, command, this.#count);
      return { ...sent, reply: answerOf(prepared, sent.reply) };
    }
    const before = connections.reconnects;
    const reply = await (this.#latest.wasUp
      ? connections.driver.send(key, command)
      : connections.sendWaiting(key, command, effect));
    const copies = this.#count + connections.reconnects - before;
    return { reply: answerOf(prepared, reply), copies, confirmed: 0 };
  }
}
