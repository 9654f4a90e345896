import { permitsRule } from './permits.ts';

/**
 * The permit semaphore's rule. Only its lease ends a permit: its id may have been handed to another process, and to end
 * it with the session that acquired it would take it from the process that uses it now. A ticket in line was handed to no
 * other process, and does end with the session.
 */
export const permitSemaphoreRule = permitsRule({
  stands: (held, facts) => held.until > facts.now,
  endsInMs: (held, facts) => held.until - facts.now,
});
