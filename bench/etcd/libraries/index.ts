import type { Library } from '../../library.ts';
import { bareTransactions } from './bare.ts';
import { etcd3 } from './etcd3.ts';
import { holdfastFairOnEtcd, holdfastOnEtcd } from './holdfast.ts';

/** Those that run in Node; the other one runs in Go. */
export const etcdLibraries: readonly Library[] = [
  bareTransactions,
  etcd3,
  holdfastOnEtcd,
  holdfastFairOnEtcd,
];
