import {
  LIST_RELAY_OF_ETCD,
  listRelayOfEtcd,
  WATCH_RELAY_OF_ETCD,
  watchRelayOfEtcd,
} from '../etcd/bare-watch-relay.ts';
import { GO } from '../etcd/go.ts';
import { goRelay } from '../etcd/go-relay.ts';
import { holdFor } from '../hold-for.ts';
import { libraryOf } from '../libraries.ts';
import type { Release } from '../library.ts';
import { monotonicUs } from '../monotonic.ts';
import { BARE_FAIR_RELAY, BARE_RELAY, bareFairRelay, bareRelay } from '../redis/bare-relay.ts';
import type { Relay, RelayEnd } from '../relay-end.ts';
import { BARE_NOTIFY_RELAY, bareNotifyRelay } from '../sql/bare-notify-relay.ts';
import {
  BARE_LIST_RELAY,
  BARE_WATCH_RELAY,
  bareListRelay,
  bareWatchRelay,
} from '../zookeeper/bare-watch-relay.ts';

/** A message and a change over the bare client, or a program that is no library of Node, where other contestants have the name of a library. */
const relays: Readonly<Record<string, (port: number) => Promise<RelayEnd>>> = {
  [BARE_RELAY]: bareRelay,
  [BARE_FAIR_RELAY]: bareFairRelay,
  [BARE_NOTIFY_RELAY]: bareNotifyRelay,
  [BARE_WATCH_RELAY]: bareWatchRelay,
  [BARE_LIST_RELAY]: bareListRelay,
  [WATCH_RELAY_OF_ETCD]: watchRelayOfEtcd,
  [LIST_RELAY_OF_ETCD]: listRelayOfEtcd,
  [GO]: goRelay,
};

export async function relay(library: string, port: number, folder: string): Promise<Relay> {
  const end = await (relays[library]?.(port) ?? relayOver(library, port, folder));
  let leaving: Promise<number> | undefined;
  return {
    ...end,
    letGoSoon: async (afterMs) => void (leaving = end.letGo(afterMs)),
    letGoAt: async () => (await leaving) ?? Number.NaN,
  };
}

async function relayOver(library: string, port: number, folder: string): Promise<RelayEnd> {
  const locker = await libraryOf(library).open(port, folder);
  // They warm up at the same time, and not all of them take a key of another for what it is.
  const name = `relay of ${library}`;
  let release: Release | undefined;
  let entering: Promise<number> | undefined;
  const enter = async (): Promise<number> => {
    release = await locker.acquire(name);
    return monotonicUs();
  };
  return {
    hold: async () => void (await enter()),
    ask: async () => void (entering = enter()),
    letGo: async (afterMs) => {
      await holdFor(afterMs);
      const sinceUs = monotonicUs();
      await release?.();
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => void (await release?.()),
  };
}
