import type { Synchronizers } from '../../../index.ts';

/** A client with read-write locks. */
export type ReadWriteLockClient = Synchronizers<'readWriteLock'>;

/** Both sides of a read-write lock. */
export const both = (client: ReadWriteLockClient, name: string) => client.readWriteLock(name);
/** The read side alone. */
export const read = (client: ReadWriteLockClient, name: string) => client.readWriteLock(name).read;
/** The write side alone. */
export const write = (client: ReadWriteLockClient, name: string) => client.readWriteLock(name).write;
