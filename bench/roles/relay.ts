import { heldFor } from '../held-for.ts';
import { libraryOf } from '../libraries.ts';
import type { Release } from '../library.ts';
import { monotonicUs } from '../monotonic.ts';
import { BARE_FAIR_RELAY, BARE_RELAY, bareFairRelay, bareRelay } from '../redis/bare-relay.ts';
import type { Relay, RelayEnd } from '../relay-end.ts';
import { BARE_NOTIFY_RELAY, bareNotifyRelay } from '../sql/bare-notify-relay.ts';

const NAME = 'relay';
const PAIRS_AT_ONCE = 50;

/** A message and a change over the bare client, where other contestants have the name of a library. */
const bareRelays: Readonly<Record<string, (port: number) => Promise<RelayEnd>>> = {
  [BARE_RELAY]: bareRelay,
  [BARE_FAIR_RELAY]: bareFairRelay,
  [BARE_NOTIFY_RELAY]: bareNotifyRelay,
};

export async function relay(library: string, port: number, folder: string): Promise<Relay> {
  const end = await (bareRelays[library]?.(port) ?? relayOver(library, port, folder));
  let leaving: Promise<number> | undefined;
  return {
    ...end,
    letGoSoon: async (afterMs) => void (leaving = end.letGo(afterMs)),
    letGoAt: async () => (await leaving) ?? Number.NaN,
  };
}

async function relayOver(library: string, port: number, folder: string): Promise<RelayEnd> {
  const locker = await libraryOf(library).open(port, folder);
  let release: Release | undefined;
  let entering: Promise<number> | undefined;
  const enter = async (): Promise<number> => {
    release = await locker.acquire(NAME);
    return monotonicUs();
  };
  return {
    // Both processes want the same lock. To take a free one would not do: who waits and is told runs other code, and the
    // compiler would come to it between the hand-overs that are measured, which takes milliseconds each time.
    warmUp: async (forMs) => {
      const until = performance.now() + forMs;
      while (performance.now() < until) await locker.loop(`warm-up of ${library}`, PAIRS_AT_ONCE);
    },
    hold: async () => void (await enter()),
    ask: async () => void (entering = enter()),
    letGo: async (afterMs) => {
      await heldFor(afterMs);
      const sinceUs = monotonicUs();
      await release?.();
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => void (await release?.()),
  };
}
