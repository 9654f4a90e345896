import type {
  Description,
  HolderSighting,
  PlaceInLine,
  Sighting,
  WaitingLine,
} from '../spi/engine/inspector.ts';
import type { Kind } from '../spi/kinds.ts';
import type { HowEnded } from './hold-ends.ts';

/** The most waiters by name: a page that is open asks for them every two seconds, and a user reads no more. */
const MOST_PLACES = 200;

/** A holder as it is sent: a fence may exceed what a number holds, and JSON has no Infinity. */
export interface SentHolder extends Omit<HolderSighting, 'fence' | 'remainingMs'> {
  readonly fence?: string;
  /** Null for a lease without an end. */
  readonly remainingMs: number | null;
}

/** A synchronizer as it is sent. */
export interface SentSighting extends Pick<Sighting, 'name' | 'waiters'> {
  readonly kind: Kind;
  /** The number of the row: shorter than kind and name, and the same as long as the row is there. */
  readonly id: number;
  readonly holders: readonly SentHolder[];
}

/** Everything: what a viewer gets first, and again after it was too slow for the changes. */
export interface WholeFrame {
  readonly engine: string;
  /** How a hold is ended by force. */
  readonly release: 'no' | 'token' | 'session';
  readonly rows: readonly SentSighting[];
}

/** What has changed since the last frame. */
export interface ChangeFrame {
  readonly rows: readonly SentSighting[];
  /** The numbers of the rows that are gone. */
  readonly gone: readonly number[];
  /** What is left of each lease of a row of which nothing but that has changed. */
  readonly leases: readonly (readonly [id: number, remainingMs: readonly (number | null)[]])[];
  /** How a hold has ended that a row had at this place before. One that is gone without an entry has ended: it is not known how. */
  readonly ended: readonly (readonly [id: number, at: number, how: HowEnded])[];
}

/** The store was not read. Only the code: the message of an error may hold the address of the store. */
export interface TroubleFrame {
  readonly code: string;
}

/** Who waits, as it is sent. The page shows no time of a ticket: JSON has no Infinity. */
export type SentLine =
  | {
      readonly order: 'turns' | 'any';
      /** The first ones. */
      readonly places: readonly Omit<PlaceInLine, 'lapsesInMs'>[];
    }
  | { readonly order: 'unknown' };

/** All that the store knows of one synchronizer, without what users have published: that may be a secret. */
export interface SentDescription extends Omit<SentSighting, 'id'> {
  readonly line: SentLine;
  readonly available?: number | null;
  readonly permits?: number | null;
  readonly count?: number;
  readonly parties?: number;
  readonly generation?: number;
  readonly broken?: string;
  readonly conditions?: Readonly<Record<string, number>>;
}

export function sentHolder({ fence, remainingMs, heldForMs, ...holder }: HolderSighting): SentHolder {
  return {
    ...holder,
    remainingMs: sentMs(remainingMs),
    ...(fence !== undefined && { fence: String(fence) }),
    ...(heldForMs !== undefined && { heldForMs: Math.round(heldForMs) }),
  };
}

export function sentSighting({ kind, name, holders, waiters }: Sighting, id: number): SentSighting {
  return { id, kind, name, holders: holders.map(sentHolder), waiters };
}

/** Leaves out the state of a monitor and the value of a leader. */
export function sentDescription(seen: Description): SentDescription {
  const {
    state: _state,
    value: _value,
    ...rest
  } = seen as Description & { state?: unknown; value?: unknown };
  const { holders, line, ...shown } = rest;
  return { ...shown, holders: holders.map(sentHolder), line: sentLine(line) } as SentDescription;
}

function sentLine(line: WaitingLine): SentLine {
  if (line.order === 'unknown') return line;
  const places = line.places.slice(0, MOST_PLACES).map(({ lapsesInMs: _lapses, ...place }) => place);
  return { order: line.order, places };
}

function sentMs(ms: number): number | null {
  return Number.isFinite(ms) ? Math.round(ms) : null;
}

/**
 * An event of a stream of server-sent events. JSON has no line breaks, and the two separators that it may have, of a name, are written out:
 * some readers of lines take them for the end of one.
 */
export function eventText(event: 'all' | 'some' | 'trouble', data: object): string {
  const text = JSON.stringify(data)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
  return `event: ${event}\ndata: ${text}\n\n`;
}
