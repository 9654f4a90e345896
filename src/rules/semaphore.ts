import { endsInMs, stands } from './lease.ts';
import { permitsRule } from './permits.ts';

/** The semaphore's rule: permits end by their lease, and at once when the session of their owner ends. */
export const semaphoreRule = permitsRule({ stands, endsInMs });
