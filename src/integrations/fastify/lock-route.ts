import type { ServerResponse } from 'node:http';
import type { Lock } from '../../spi/synchronizers.ts';
import { CLIENT_GONE, type RouteOptions, type RouteSection, runLocked } from '../routes/run-locked.ts';

/** What a locked route needs of a reply of Fastify. */
export interface ReplyLike {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  hijack(): unknown;
}

/**
 * A handler that runs under a lock, which the request names. Without the lock it answers 409 (another request has it) or 503 (the
 * store cannot give it) with `Retry-After`. The lock is released when the handler has settled.
 */
export function lockRoute<Rq, Rp extends ReplyLike, T>(
  lockOf: (request: Rq) => Lock,
  handler: (request: Rq, reply: Rp, section: RouteSection) => T | PromiseLike<T>,
  options?: RouteOptions,
): (request: Rq, reply: Rp) => Promise<T | { readonly code: string } | undefined> {
  return async (request, reply) => {
    const section = (entered: RouteSection) => handler(request, reply, entered);
    const ran = await runLocked(lockOf(request), reply.raw, section, options);
    if ('done' in ran) return ran.done;
    if (ran.refused === CLIENT_GONE) {
      reply.hijack();
      return undefined;
    }
    const { status, retryAfter, body } = ran.refused;
    reply.code(status);
    reply.header('retry-after', retryAfter);
    return body;
  };
}
