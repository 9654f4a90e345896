import { print } from '../../output/output.ts';
import type { HoldRequest } from '../run/hold-request.ts';
import { eventJson, eventTeller, type RunEvent, type TellEvent } from '../run/run-event.ts';

export type AcquiredEvent = Extract<RunEvent, { event: 'acquired' }>;

/** Reports on stdout that it is held, because that is the result; the rest as usual. In JSON all events are on stdout. */
export function resultTeller(
  how: HoldRequest['telling'],
  lineOf: (event: AcquiredEvent) => string,
): TellEvent {
  if (how === 'json') return (event) => print(eventJson(event));
  const tell = eventTeller(how);
  return (event) => {
    if (event.event === 'acquired' && how !== 'quiet') print(lineOf(event));
    tell(event);
  };
}
