import { NoAnswerError } from '../../core/async/in-time.ts';
import type { Clock, Timer } from '../../spi/clock.ts';

/** What the line knows of a call that waits. */
export interface WaitingCall {
  /** When its caller asked for it, by the client's clock. */
  readonly since: number;
  /** Renews or leaves, and so goes before calls that want to come in (soundness 21). */
  readonly isUrgent: boolean;
  /** Undoes an earlier call of its owner: an earlier one that was not sent is not sent any more. */
  readonly withdraws: boolean;
  readonly ask: { readonly owner?: unknown; readonly side?: unknown };
}

interface Queued {
  readonly call: WaitingCall;
  readonly begin: () => void;
  readonly giveUp: (error: Error) => void;
}

/** The calls of one cell. */
interface CellLine {
  readonly key: string;
  isUnderWay: boolean;
  readonly urgent: Queued[];
  readonly patient: Queued[];
}

export interface SlotsOptions {
  readonly clock: Clock;
  /** How many calls the way to the store carries at once. */
  readonly count: number;
  /** How long a call waits while the store answers none of the calls before it. */
  readonly patienceMs: number;
}

/** The owner of a call has withdrawn it while it waited. It was not sent. */
export class WithdrawnError extends Error {
  override readonly name = 'WithdrawnError';
}

/**
 * Admits one call of a cell at a time (soundness 3), and as many calls at once as the way to the store carries; a call
 * decides and counts its time only when it begins.
 *
 * The tempting alternative hands every call to the pool of the client and lets the pool queue it. A decision that waits
 * there for longer than it is good for (soundness 5) is refused by the store and made again, and a call that waits there
 * for longer than a command may take is sent twice: 3,000 free names at once cost 9,000 to 17,000 statements over a pool
 * of ten, and all of them failed under load.
 *
 * The other tempting alternative chains the calls of a cell first and queues for a slot afterwards. A release then waits
 * behind each acquisition of its cell, and each acquisition behind all acquisitions of other cells, while the leases of
 * this client run out.
 */
export class Slots {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /** Cells with a call under way or in line. */
  readonly #lines = new Map<string, CellLine>();
  /** Lines without a call under way that have urgent calls, in the order in which they came up. */
  readonly #urgent = new Set<CellLine>();
  /** Lines with patient calls, in the order in which they came up; an urgent call of such a line may be under way. */
  readonly #patient = new Set<CellLine>();
  #free: number;
  /** How many calls are in line. */
  #waiting = 0;
  #answeredAt = -Infinity;
  #timer: Timer | undefined;

  constructor({ clock, count, patienceMs }: SlotsOptions) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#free = count;
  }

  /** Begins a call at once, if the cell is idle and a slot is free, so that the usual call waits for no promise. */
  begin(key: string): boolean {
    if (this.#free <= 0 || this.#lines.has(key)) return false;
    this.#free--;
    this.#lines.set(key, { key, isUnderWay: true, urgent: [], patient: [] });
    return true;
  }

  /**
   * Resolves when the call begins. Rejects with a {@link NoAnswerError} when the store has answered no call for as long as
   * this one may wait, and with a {@link WithdrawnError} when a later call of its owner has made it pointless.
   */
  queue(key: string, call: WaitingCall): Promise<void> {
    let line = this.#lines.get(key);
    if (line === undefined) {
      line = { key, isUnderWay: false, urgent: [], patient: [] };
      this.#lines.set(key, line);
    }
    if (call.isUrgent) this.#settleEarlier(line, call);
    this.#waiting++;
    const begun = new Promise<void>((begin, giveUp) => {
      (call.isUrgent ? line.urgent : line.patient).push({ call, begin, giveUp });
    });
    this.#sort(line);
    if (this.#timer === undefined) this.#arm(this.#patienceMs);
    return begun;
  }

  /** Whether a call of this cell is under way. */
  isUnderWay(key: string): boolean {
    return this.#lines.get(key)?.isUnderWay === true;
  }

  /** The call of this cell is over: the next one has its slot. */
  give(key: string): void {
    const line = this.#lines.get(key)!;
    line.isUnderWay = false;
    this.#free++;
    this.#sort(line);
    while (this.#free > 0 && this.#beginNext());
    this.#restIfIdle();
  }

  /** The store has answered: calls in line have a reason to wait on, however long the line is. */
  noteAnswer(at: number): void {
    this.#answeredAt = at;
  }

  #beginNext(): boolean {
    if (this.#waiting === 0) return false;
    const [line = this.#nextPatient()] = this.#urgent;
    if (line === undefined) return false;
    const next = line.urgent.shift() ?? this.#shiftPatient(line);
    this.#waiting--;
    this.#free--;
    line.isUnderWay = true;
    this.#sort(line);
    next.begin();
    return true;
  }

  #nextPatient(): CellLine | undefined {
    for (const line of this.#patient) if (!line.isUnderWay) return line;
    return undefined;
  }

  /**
   * The line goes behind the others for its next patient call. The tempting alternative takes it out for an urgent one as
   * well: a cell whose holders renew and leave often then comes back behind the latest newcomer each time, and its own
   * acquisitions are never sent.
   */
  #shiftPatient(line: CellLine): Queued {
    this.#patient.delete(line);
    return line.patient.shift()!;
  }

  #restIfIdle(): void {
    if (this.#waiting > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /**
   * An urgent call overtakes the calls of other owners, never an earlier one of its own: a withdrawal that arrived before
   * its acquisition would find nothing, and the acquisition would be an orphan for a lease (soundness 3). What the call
   * withdraws is not sent at all; what it merely follows goes before it.
   *
   * Settles all of them. The tempting alternative is to settle the one that an owner has at a time. A wait of a monitor that
   * is out of time goes on under the same id while its first call is still in line: a release that settles that one alone
   * overtakes the second, and the store gives the monitor to a section that is over.
   */
  #settleEarlier(line: CellLine, { ask, withdraws }: WaitingCall): void {
    if (ask.owner === undefined) return;
    const isEarlier = ({ call }: Queued): boolean =>
      call.ask.owner === ask.owner && call.ask.side === ask.side;
    for (let at = line.patient.findIndex(isEarlier); at >= 0; at = line.patient.findIndex(isEarlier)) {
      const [earlier] = line.patient.splice(at, 1) as [Queued];
      if (withdraws) {
        this.#waiting--;
        earlier.giveUp(new WithdrawnError('its owner withdrew the call before it was sent'));
      } else line.urgent.push(earlier);
    }
  }

  /** Puts a line where its next call waits, and forgets one that has none. */
  #sort(line: CellLine): void {
    const { key, isUnderWay, urgent, patient } = line;
    if (isUnderWay || urgent.length === 0) this.#urgent.delete(line);
    else this.#urgent.add(line);
    if (patient.length === 0) this.#patient.delete(line);
    else if (!isUnderWay) this.#patient.add(line);
    if (!isUnderWay && urgent.length === 0 && patient.length === 0) this.#lines.delete(key);
  }

  #arm(ms: number): void {
    this.#timer = this.#clock.timer(ms, () => this.#giveUpOnSilence());
    this.#timer.keepsAlive(true);
  }

  #giveUpOnSilence(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    let soonest = Infinity;
    for (const line of this.#lines.values()) {
      for (const queue of [line.urgent, line.patient]) {
        for (let [head] = queue; head !== undefined; [head] = queue) {
          const leftMs = Math.max(head.call.since, this.#answeredAt) + this.#patienceMs - now;
          if (leftMs > 0) {
            soonest = Math.min(soonest, leftMs);
            break;
          }
          queue.shift();
          this.#waiting--;
          head.giveUp(new NoAnswerError(this.#patienceMs));
        }
      }
      this.#sort(line);
    }
    if (soonest < Infinity) this.#arm(soonest);
  }
}
