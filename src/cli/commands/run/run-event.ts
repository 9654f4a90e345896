import { showDuration } from '../../duration.ts';
import { say, sayLine, withoutSecrets } from '../../output/output.ts';
import type { RunRequest } from './run-request.ts';

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
  | { readonly event: 'not-acquired'; readonly waitedMs: number }
  | { readonly event: 'started'; readonly pid: number }
  | { readonly event: 'forwarded'; readonly signal: string }
  | { readonly event: 'losing'; readonly remainingMs: number; readonly killAfterMs: number }
  | { readonly event: 'lost'; readonly reason: string; readonly command: 'is-ended' | 'goes-on' | 'is-over' }
  | { readonly event: 'killed' }
  | { readonly event: 'ended'; readonly code?: number; readonly signal?: string }
  | { readonly event: 'keeping'; readonly ms: number }
  | { readonly event: 'released'; readonly heldMs: number }
  | { readonly event: 'release-failed'; readonly message: string };

export type TellEvent = (event: RunEvent) => void;

/** Reports events in the requested form. */
export function eventTeller(how: RunRequest['telling']): TellEvent {
  if (how === 'json') return (event) => sayLine(withoutSecrets(JSON.stringify(event)));
  return (event) => {
    const text = textOf(event);
    if (text === undefined) return;
    const isWanted = how === 'verbose' || (how === 'usual' && isWarning(event));
    if (isWanted) say(text);
  };
}

const LOST = {
  'is-ended': 'the command is ended',
  'goes-on': 'the command goes on, and another holder may be in',
  'is-over': 'this was found out when the command was over, and another holder may have been in',
} as const;

/** Whether the event is shown without `--verbose`. */
function isWarning({ event }: RunEvent): boolean {
  return ['losing', 'lost', 'killed', 'release-failed'].includes(event);
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
      return `waits on: ${event.message}`;
    case 'not-acquired':
      return `not acquired after ${showDuration(event.waitedMs)}`;
    case 'losing':
      return `the lease was not renewed and ends in ${showDuration(event.remainingMs)}: the command gets TERM now, and KILL after ${showDuration(event.killAfterMs)}`;
    case 'lost':
      return `lost (${event.reason}): ${LOST[event.command]}`;
    case 'killed':
      return 'the command did not end by itself, and was killed';
    case 'keeping':
      return `kept for another ${showDuration(event.ms)}`;
    case 'released':
      return `released after ${showDuration(event.heldMs)}`;
    case 'release-failed':
      return `was not released, and is free when its lease ends: ${event.message}`;
    case 'started':
    case 'forwarded':
    case 'ended':
    default:
      return undefined;
  }
}

function textOfHolder({ name, heldBy, heldForMs, fence, remainingMs }: BlockingHolder): string {
  const ofFence = fence === undefined ? '' : `, fence ${fence}`;
  const age = heldForMs === undefined ? '' : ` for ${showDuration(heldForMs)}`;
  return `${heldBy}, which has held ${name}${age} (${showDuration(remainingMs)} of the lease left${ofFence})`;
}
