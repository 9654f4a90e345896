import type { MessageConnection, MessageEvents, SubscriptionRouting } from './message-connection.ts';

/** The places of messages where there is only one: whoever opens a connection gets to the right server. */
export function onePlace(open: (events: MessageEvents) => MessageConnection): SubscriptionRouting {
  return {
    placeOf: () => 'server',
    look: async () => undefined,
    open: async (_place, events) => open(events),
    onChange: () => () => undefined,
  };
}
