import type { Description, Kind, Waiting } from '../../spi/engine/inspector.ts';
import type { Protocols } from '../../spi/engine/protocols.ts';
import { kinds } from '../kinds.ts';
import type { ViewOf } from './views.ts';

/** Describes one synchronizer in full, by its kind; null if nothing of that kind is there. */
export type Describing = { readonly [K in Kind]: (name: string) => Promise<Description | null> };

/** Describes every kind from its protocol: the rule looks at the record, and the kind's view shows that look. */
export function describing(
  protocols: Protocols,
  watching: (kind: Kind, name: string) => Waiting,
): Describing {
  const described = (kind: Kind) => {
    const protocol: { look(name: string): unknown } = protocols[kind];
    const view = kinds[kind].view as ViewOf<never>;
    return async (name: string): Promise<Description | null> => {
      const seen = view((await protocol.look(name)) as never, () => watching(kind, name));
      return seen === null ? null : ({ kind, name, ...(seen as object) } as Description);
    };
  };
  const all = (Object.keys(kinds) as Kind[]).map((kind) => [kind, described(kind)]);
  return Object.fromEntries(all) as Describing;
}

/** Whether a client holds it or waits for it. */
export function isInUse(seen: Description): boolean {
  if (seen.holders.length > 0 || seen.waiters.count > 0) return true;
  return seen.kind === 'monitor' && Object.keys(seen.conditions).length > 0;
}
