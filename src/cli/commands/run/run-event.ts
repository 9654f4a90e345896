import { showDuration } from '../../duration.ts';
import { say, sayLine } from '../../output/output.ts';
import type { HoldRequest } from './hold-request.ts';

/** A holder that `run` waits for. */
export interface BlockingHolder {
  readonly name: string;
  readonly owner: string;
  /** What the holder is called. */
  readonly heldBy: string;
  readonly heldForMs?: number;
  readonly fence?: string;
  readonly remainingMs: number;
}

/** What `run` reports. */
export type RunEvent =
  | { readonly event: 'waiting'; readonly holders: readonly BlockingHolder[] }
  | {
      readonly event: 'acquired';
      readonly names: readonly string[];
      readonly owners: readonly string[];
      readonly fences: readonly string[];
      readonly engine: string;
      readonly waitedMs: number;
    }
  | { readonly event: 'trouble'; readonly message: string }
  | {
      readonly event: 'not-acquired';
      readonly waitedMs: number;
      readonly holders: readonly BlockingHolder[];
    }
  | { readonly event: 'started'; readonly pid: number }
  | { readonly event: 'forwarded'; readonly signal: string }
  | { readonly event: 'losing'; readonly remainingMs: number; readonly killAfterMs: number }
  | {
      readonly event: 'lost';
      readonly reason: string;
      readonly command: 'is-ended' | 'goes-on' | 'is-over' | 'none';
    }
  | { readonly event: 'timed-out'; readonly timeoutMs: number; readonly killAfterMs: number }
  | { readonly event: 'killed' }
  | { readonly event: 'ended'; readonly code?: number; readonly signal?: string }
  | { readonly event: 'keeping'; readonly ms: number }
  | { readonly event: 'released'; readonly heldMs: number }
  | { readonly event: 'release-failed'; readonly message: string };

export type TellEvent = (event: RunEvent) => void;

/** Reports events in the requested form. */
export function eventTeller(how: HoldRequest['telling']): TellEvent {
  if (how === 'json') return (event) => sayLine(eventJson(event));
  return (event) => {
    const text = textOf(event);
    if (text === undefined) return;
    const isWanted =
      how === 'verbose' ||
      (how === 'usual' && isWarning(event)) ||
      (isToldAtTerminal(how) && isOfTheWait(event));
    if (isWanted) say(text);
  };
}

/** Whether a user sits before it who wants to know why a wait fails. A log would have a line for every run of a cron job. */
export function isToldAtTerminal(how: HoldRequest['telling']): boolean {
  return how === 'usual' && process.stderr.isTTY;
}

function isOfTheWait({ event }: RunEvent): boolean {
  return event === 'not-acquired' || event === 'trouble';
}

/** For programs: every number of an event is a time, and has whole milliseconds. */
export function eventJson(event: RunEvent): string {
  return JSON.stringify(event, (_key, value: unknown) =>
    typeof value === 'number' ? Math.round(value) : value,
  );
}

const LOST = {
  'is-ended': 'holdfast ends the command',
  'goes-on': 'the command goes on, and another owner may hold the lock',
  'is-over': 'holdfast noticed it after the command had ended, and another owner may have held the lock',
  none: 'another owner may hold the lock',
} as const;

/** Whether the event is shown without `--verbose`. */
function isWarning({ event }: RunEvent): boolean {
  return ['losing', 'lost', 'timed-out', 'killed', 'release-failed'].includes(event);
}

function textOf(event: RunEvent): string | undefined {
  switch (event.event) {
    case 'waiting':
      return event.holders.length === 0
        ? 'waiting'
        : `waiting for ${event.holders.map(textOfHolder).join(', ')}`;
    case 'acquired':
      return `acquired after ${showDuration(event.waitedMs)}, fence ${event.fences.join(' ')} (${event.engine})`;
    case 'trouble':
      return `still waiting: ${event.message}`;
    case 'not-acquired':
      return `not acquired after ${showDuration(event.waitedMs)}${event.holders.map(textOfObstacle).join('')}`;
    case 'losing':
      return `the lease was not renewed and ends in ${showDuration(event.remainingMs)}: the command gets TERM now, and KILL after ${showDuration(event.killAfterMs)}`;
    case 'lost':
      return `lost (${event.reason}): ${LOST[event.command]}`;
    case 'timed-out':
      return `the command has run for ${showDuration(event.timeoutMs)}: it gets TERM now, and KILL after ${showDuration(event.killAfterMs)}`;
    case 'killed':
      return 'the command did not end by itself, and was killed';
    case 'keeping':
      return `keeps the lock for another ${showDuration(event.ms)}`;
    case 'released':
      return `released after ${showDuration(event.heldMs)}`;
    case 'release-failed':
      return `was not released, so it is free when its lease ends: ${event.message}`;
    case 'started':
    case 'forwarded':
    case 'ended':
    default:
      return undefined;
  }
}

function textOfObstacle({ name, heldBy, heldForMs }: BlockingHolder): string {
  const age = heldForMs === undefined ? '' : ` for ${showDuration(heldForMs)}`;
  return `; ${heldBy} has held ${name}${age}`;
}

function textOfHolder({ name, heldBy, heldForMs, fence, remainingMs }: BlockingHolder): string {
  const ofFence = fence === undefined ? '' : `, fence ${fence}`;
  const age = heldForMs === undefined ? '' : ` for ${showDuration(heldForMs)}`;
  return `${heldBy}, which has held ${name}${age} (${showDuration(remainingMs)} of the lease left${ofFence})`;
}
