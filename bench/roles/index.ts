import { relay } from './relay.ts';
import { ring } from './ring.ts';
import { steady } from './steady.ts';
import { waiters } from './waiters.ts';
import { workers } from './workers.ts';

/** What a process of a fleet can be told to be. */
export const roles = { relay, ring, steady, waiters, workers };

export type Roles = typeof roles;
