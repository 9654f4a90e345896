import { relay } from './relay.ts';
import { ring } from './ring.ts';
import { steady } from './steady.ts';
import { waiters } from './waiters.ts';
import { workers } from './workers.ts';

/** The roles of a process of a fleet. */
export const roles = { relay, ring, steady, waiters, workers };

export type Roles = typeof roles;
