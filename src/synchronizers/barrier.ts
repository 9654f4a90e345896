import { checkName, checkOptions, checkSize, readPatience, subjectOf } from '../core/arguments.ts';
import type { Client } from '../core/client.ts';
import { logAs } from '../core/log-as.ts';
import { mayHaveLeftSomething } from '../core/failures/store-full-error.ts';
import { type Attempt, type Turn, waitFor } from '../core/acquire/wait.ts';
import { isOutOfTime } from '../core/acquire/wait-limit.ts';
import {
  AcquireTimeoutError,
  BrokenBarrierError,
  type ErrorSubject,
  ForeignStateError,
} from '../spi/errors.ts';
import type { Protocol } from '../spi/engine/protocol.ts';
import type { Arrival, Barrier, WaitOptions } from '../spi/synchronizers.ts';
import type { Arrived, BarrierLook, BarrierVerbs, BreakReason } from '../spi/verbs/barrier.ts';

type BarrierProtocol = Protocol<BarrierVerbs, BarrierLook>;

const CAUSES: Readonly<Record<BreakReason, string>> = {
  timeout: 'a party gave up waiting',
  aborted: 'the signal of a party aborted its wait',
  'dead-party': 'a party died or was not heard of for too long',
  reset: 'it was reset',
};

class BarrierObject implements Barrier {
  readonly name: string;
  readonly parties: number;
  readonly #client: Client;
  readonly #protocol: BarrierProtocol;
  readonly #subject: ErrorSubject;

  constructor(
    client: Client,
    protocol: BarrierProtocol,
    name: string,
    parties: number,
    subject: ErrorSubject,
  ) {
    this.name = name;
    this.parties = parties;
    this.#client = client;
    this.#protocol = protocol;
    this.#subject = subject;
  }

  get engine(): string {
    return this.#client.label;
  }

  async arrive(options?: WaitOptions): Promise<Arrival> {
    checkOptions(options, ['timeoutMs', 'signal'], this.#subject);
    this.#client.throwIfClosed(this.#subject);
    const waitLimit = {
      ...readPatience(options, this.#client, this.#subject),
      timeoutError: notTrippedError,
    };
    waitLimit.signal?.throwIfAborted();
    const owner = this.#client.ids.next();
    const turn = this.#turn(owner);
    try {
      return await (waitLimit.timeoutMs === 0
        ? this.#arriveOnce(turn)
        : waitFor(this.#client, turn, waitLimit));
    } catch (error) {
      if (turn.isWaiting !== true && !mayHaveLeftSomething(error)) throw error;
      return this.#giveUp(owner, error);
    }
  }

  async waiting(): Promise<number> {
    return (await this.#look()).waiting;
  }

  async isBroken(): Promise<boolean> {
    return (await this.#look()).broken !== undefined;
  }

  async reset(): Promise<void> {
    this.#client.throwIfClosed(this.#subject);
    await this.#protocol.reset(this.name, {});
  }

  #look() {
    this.#client.throwIfClosed(this.#subject);
    return this.#protocol.look(this.name);
  }

  /** No time to wait is still an arrival: the last party does not wait. */
  async #arriveOnce(turn: Turn<Arrival>): Promise<Arrival> {
    const attempt = await turn.attempt();
    if (attempt.kind === 'in') return attempt.value;
    throw notTrippedError(this.#subject, 0);
  }

  #turn(owner: string): Turn<Arrival> {
    let first = true;
    return {
      subject: this.#subject,
      get isWaiting() {
        return !first;
      },
      attempt: async () => {
        const ask = { owner, parties: this.parties, interestMs: this.#client.renewalLeaseMs, first };
        const arrived = await this.#protocol.arrive(this.name, ask);
        first = false;
        return this.#judge(arrived);
      },
      watch: (heard) => this.#protocol.watch(this.name, owner, heard),
      withdraw: () => undefined,
    };
  }

  #judge(arrived: Arrived): Attempt<Arrival> {
    if (arrived.kind === 'waiting') return { kind: 'out', againInMs: arrived.againInMs };
    if (arrived.kind === 'broken') throw this.#broken(arrived.reason);
    if (arrived.kind === 'mismatch') {
      throw new ForeignStateError(
        `${this.#subject.resource} is in use by ${arrived.parties} parties, and was opened here for ${this.parties}. Use the same number everywhere.`,
        this.#subject,
      );
    }
    return { kind: 'in', value: { generation: arrived.generation, index: arrived.index } };
  }

  /** A party that stops waiting breaks the barrier, unless all had arrived before the store heard of it. */
  async #giveUp(owner: string, error: unknown): Promise<Arrival> {
    if (error instanceof BrokenBarrierError || error instanceof ForeignStateError) throw error;
    if (!(error instanceof AcquireTimeoutError)) {
      // Of a silent store, too: its answer would come after the time that the caller has given.
      const reason = isOutOfTime(error) ? 'timeout' : 'aborted';
      this.#client.background(this.#protocol.leave(this.name, { owner, reason }));
      throw error;
    }
    const left = await this.#protocol.leave(this.name, { owner, reason: 'timeout' });
    if (left.kind !== 'tripped') throw error;
    return { generation: left.generation, index: left.index };
  }

  #broken(reason: BreakReason): BrokenBarrierError {
    return new BrokenBarrierError(
      `${this.#subject.resource} is broken: ${CAUSES[reason]}. Not all parties arrived; reset it before it is used again.`,
      this.#subject,
      reason,
    );
  }
}

function notTrippedError(subject: ErrorSubject, timeoutMs: number): AcquireTimeoutError {
  return new AcquireTimeoutError(
    `${subject.resource}: not all parties arrived within ${timeoutMs} ms. The barrier is broken now, for the others too; reset it before it is used again.`,
    subject,
  );
}

logAs(BarrierObject, 'Barrier', ({ name, engine, parties }) => ({ kind: 'barrier', name, engine, parties }));

/** The barrier of `locks.barrier(name, { parties })`. */
export function createBarrier(
  client: Client,
  protocol: BarrierProtocol,
  name: string,
  options: unknown,
): Barrier {
  checkName(name, 'barrier', client.label);
  const subject = subjectOf('barrier', name, client.label);
  checkOptions(options ?? {}, ['parties'], subject);
  const { parties } = (options ?? {}) as { readonly parties?: unknown };
  return new BarrierObject(
    client,
    protocol,
    name,
    checkSize(parties, 'parties', 'barrier', subject),
    subject,
  );
}
