import type { Clock } from '../../spi/clock.ts';
import type { EtcdLiveness } from './etcd-liveness.ts';

/** What lines, documents and the inspector of one engine object share. */
export interface EtcdStore {
  readonly liveness: EtcdLiveness;
  readonly label: string;
  readonly clock: Clock;
  /** In front of every key. */
  readonly root: string;
}
