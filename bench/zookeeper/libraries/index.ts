import type { Library } from '../../library.ts';
import { bare } from './bare.ts';
import { holdfast, holdfastFair } from './holdfast.ts';

/** Those that run in Node; Curator runs in Java. */
export const zooKeeperLibraries: readonly Library[] = [bare, holdfast, holdfastFair];
