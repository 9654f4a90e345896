import type { Description, Kind, Waiting } from '../../spi/engine/inspector.ts';
import type { UnraisedProtocols } from '../../spi/engine/protocols.ts';
import { kinds } from '../kinds.ts';
import type { ViewOf } from './views.ts';

/** Describes one synchronizer in full, by its kind; null if nothing of that kind is there. */
export type Describing<K extends Kind = Kind> = {
  readonly [P in K]: (name: string) => Promise<Description | null>;
};

/** Describes every kind that has a protocol: the rule looks at the record, and the kind's view shows that look. */
export function describing<K extends Kind>(
  protocols: Pick<UnraisedProtocols, K>,
  watching: (kind: Kind, name: string) => Waiting,
): Describing<K> {
  const described = (kind: K) => {
    const protocol: { look(name: string): unknown } = protocols[kind];
    const view = kinds[kind].view as ViewOf<never>;
    return async (name: string): Promise<Description | null> => {
      const seen = view((await protocol.look(name)) as never, () => watching(kind, name));
      return seen === null ? null : ({ kind, name, ...(seen as object) } as Description);
    };
  };
  const all = (Object.keys(protocols) as K[]).map((kind) => [kind, described(kind)]);
  return Object.fromEntries(all);
}

/** Whether a client holds it or waits for it. */
export function isInUse(seen: Description): boolean {
  if (seen.holders.length > 0 || seen.waiters.count > 0) return true;
  return seen.kind === 'monitor' && Object.keys(seen.conditions).length > 0;
}
