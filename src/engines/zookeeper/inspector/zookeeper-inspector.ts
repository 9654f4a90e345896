import { type LineInside, lineInspector } from '../../../kernels/inspector/line-inspector.ts';
import type { Inspector, Kind } from '../../../spi/engine/inspector.ts';
import { explainError } from '../explain-error.ts';
import { programOfOwner } from '../layout/ticket-id.ts';
import type { ZooKeeperLiveness } from '../zookeeper-liveness.ts';
import { ChangeWatch } from './change-watch.ts';
import { walkNodes } from './walk-nodes.ts';

/** Where the nodes are that the inspector of one engine object looks through. */
export interface ZooKeeperPlace {
  readonly liveness: ZooKeeperLiveness;
  readonly root: string;
}

/** Shows holders and waiters, those of Curator too. */
export function zooKeeperInspector<K extends Kind>(inside: LineInside<K>, place: ZooKeeperPlace): Inspector {
  const { client, session } = inside;
  const { liveness, root } = place;
  return lineInspector({
    inside,
    walk: (prefix, { kinds, subject }) =>
      walkNodes({ client: liveness.client(subject), root, kinds, prefix }),
    changes: (listener, look) =>
      new ChangeWatch({ client, session, liveness, root, ...look }, listener).begin(),
    programOf: programOfOwner,
    explain: explainError,
  });
}
