import { checkedInspector } from '../../../kernels/inspector/checked-inspector.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Inspector } from '../../../spi/engine/inspector.ts';
import type { RedisContext } from '../redis-context.ts';
import { watchChanges } from './changes.ts';
import { describing } from './describe.ts';
import { breakHold } from './force.ts';
import { KeyListing } from './list.ts';
import { InspectorListeners } from './listeners.ts';
import { InspectorServers } from './servers.ts';

/** The inspector of one engine object. Shows holders and waiters, those of Java too, with as few requests as it can. */
export function redisInspector(
  parts: RedisContext,
  protocols: Protocols,
  commandTimeoutMs: number,
): Inspector {
  const { client } = parts;
  const servers = new InspectorServers(parts, commandTimeoutMs);
  const listeners = new InspectorListeners(parts, servers);
  const describe = describing({ parts, protocols, listeners });
  return checkedInspector({
    client,
    describe,
    sightings: (prefix, check) =>
      new KeyListing({ parts, servers, listeners, describe, prefix, check }).sightings(),
    changes: (listener) => watchChanges(parts, listeners, listener),
    breakHold: (kind, name, holder) => breakHold(protocols, kind, name, holder),
  });
}
