import type { ServerResponse } from 'node:http';
import type { Lock } from '../../spi/synchronizers.ts';
import { CLIENT_GONE, type RouteOptions, type RouteSection, runLocked } from '../routes/run-locked.ts';

export type { RouteOptions, RouteSection } from '../routes/run-locked.ts';

/** A handler as Express calls it. */
export type RouteHandler<Rq, Rs> = (
  request: Rq,
  response: Rs,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * A handler that runs under a lock, which the request names. Without the lock it answers 409 (another request has it) or 503 (the
 * store cannot give it) with `Retry-After`. The lock is released when the handler has settled.
 */
export function lockRoute<Rq, Rs extends ServerResponse>(
  lockOf: (request: Rq) => Lock,
  handler: (request: Rq, response: Rs, section: RouteSection) => unknown,
  options?: RouteOptions,
): RouteHandler<Rq, Rs> {
  return async (request, response, next) => {
    try {
      const section = (entered: RouteSection) => handler(request, response, entered);
      const ran = await runLocked(lockOf(request), response, section, options);
      if (!('refused' in ran) || ran.refused === CLIENT_GONE) return;
      const { status, retryAfter, body } = ran.refused;
      response
        .writeHead(status, { 'retry-after': retryAfter, 'content-type': 'application/json' })
        .end(JSON.stringify(body));
    } catch (error) {
      // An error handler of Express takes an ended response for one that broke off, and ends the connection. The event `lost`
      // reports a loss that only the release has found.
      if (!response.writableEnded) next(error);
    }
  };
}
