import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { EngineTimes } from '../requests/engine-times.ts';
import type { RequestCopies } from '../requests/request-copies.ts';
import type { Once, Request } from './at-most-once.ts';

/** One change of one cell, as it goes over the wire. Plain JSON. */
export interface CellCall {
  readonly kind: string;
  readonly name: string;
  readonly verb: string;
  readonly ask: object;
  readonly request: Request;
}

/** What the engine decided, and what its clock showed. Plain JSON. */
export interface CellReply {
  readonly now: number;
  readonly outcome: Once<unknown>;
}

/** The way to an engine that keeps cells elsewhere. A rejected promise means that the outcome is not known. */
export interface Wire {
  /** How many calls it carries at once: the others wait here, undecided. Any number where this is missing. */
  readonly atOnce?: number | undefined;
  /** `sending` is the same for all copies of a request; a wire that does not write to it leaves its outcome unknown. */
  send(call: CellCall, sending?: RequestCopies<CellReply>): Promise<CellReply>;
  look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }>;
  /** The engine's clock; where it has several, that of the server which keeps this cell. */
  time(kind: string, name: string): Promise<number>;
  /** Tells the clocks of several servers apart. Not needed where there is one. */
  clockOf?(kind: string, name: string): string;
  /** What the wire itself knows of these clocks. Where this is missing the replies are all that is known. */
  readonly times?: EngineTimes;
  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
  /** Whether this wire writes to `sending` when a copy leaves the process. */
  readonly tellsWhenSent?: true;
  /** Called when a copy was not answered in time: its connection may carry nothing any more. */
  suspect?(kind: string, name: string): void;
}
