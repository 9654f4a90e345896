import { type LineInside, lineInspector } from '../../../kernels/inspector/line-inspector.ts';
import type { Inspector, Kind } from '../../../spi/engine/inspector.ts';
import { programOfOwner } from '../etcd-announcements.ts';
import type { EtcdStore } from '../etcd-store.ts';
import { explainEtcdError } from '../explain-etcd-error.ts';
import { KeyWatch } from './key-watch.ts';
import { walkKeys } from './walk-keys.ts';

/** Shows holders and waiters, those of other programs too. */
export function etcdInspector<K extends Kind>(inside: LineInside<K>, store: EtcdStore): Inspector {
  const { client, session } = inside;
  const { liveness, root } = store;
  return lineInspector({
    inside,
    walk: (prefix, { subject }) => walkKeys({ client: liveness.client(subject), root, prefix }),
    changes: (listener, look) => new KeyWatch({ client, session, liveness, root, ...look }, listener).begin(),
    programOf: programOfOwner,
    explain: explainEtcdError,
  });
}
