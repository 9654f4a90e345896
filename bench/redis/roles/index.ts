import { relay } from './relay.ts';
import { ring } from './ring.ts';
import { waiters } from './waiters.ts';
import { workers } from './workers.ts';

/** What a process of a fleet can be told to be. */
export const roles = { relay, ring, waiters, workers };

export type Roles = typeof roles;
