import type { MessageConnection, MessageEvents, SubscriptionRouting } from './message-connection.ts';

/** Routing to the only server: every new connection leads to it. */
export function onePlace(open: (events: MessageEvents) => MessageConnection): SubscriptionRouting {
  return {
    placeOf: () => 'server',
    look: async () => undefined,
    open: async (_place, events) => open(events),
    onChange: () => () => undefined,
  };
}
