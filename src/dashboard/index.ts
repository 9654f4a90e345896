import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Kind } from '../spi/kinds.ts';
import { isHoldfastError } from '../spi/errors.ts';
import { answer, jsonAnswer, refusal } from './answers.ts';
import { assetAnswer, isAssetName } from './assets.ts';
import { Board } from './board.ts';
import { type FastifyLike, fastifyPlugin } from './fastify-plugin.ts';
import { forceReleaseAnswer } from './force-release.ts';
import { sentDescription, sentSighting } from './frames.ts';
import { nodeListener } from './node-listener.ts';
import { checkDashboardOptions, type DashboardOptions, type InspectableLocks } from './options.ts';
import { ICON, PAGE } from './page.ts';
import { hasToken, isOfAnotherSite, isOurHost, releaseWayOf } from './rights.ts';

export type { FastifyLike } from './fastify-plugin.ts';
export type { DashboardOptions, InspectableLocks, ReleaseRights } from './options.ts';

/** A page that shows what is held, as a handler of the web's `Request`. */
export interface Dashboard {
  /** Answers a request for the page, for its files or for its data. */
  (request: Request): Promise<Response>;
  /** The same for Node's own HTTP server, and for the frameworks that stand on it: `app.use('/locks', board.node)`. */
  readonly node: (request: IncomingMessage, response: ServerResponse) => void;
  /** The same as a plugin of Fastify, which ends its streams when the application closes: `app.register(board.fastify)`. */
  readonly fastify: (instance: FastifyLike) => Promise<void>;
  /** How many pages view at this moment. While none does, the store is not asked. */
  readonly viewers: number;
  /** Ends the streams of all pages and begins no others, so that a server can close. The locks stay open. */
  close(): void;
}

const USUAL_MS = 1_000;

/**
 * A page that shows what is held, by whom, and who waits. It only reads, unless `allowRelease` is given. Every client that reaches the handler
 * sees the names of all locks: put it behind what guards the rest of your application.
 *
 * ```ts
 * import { createServer } from 'node:http';
 * import { dashboard } from 'holdfast/dashboard';
 * import { memory } from 'holdfast/memory';
 *
 * const board = dashboard(memory());
 * createServer(board.node).listen(0, '127.0.0.1');
 * ```
 */
export function dashboard(locks: InspectableLocks, options: DashboardOptions = {}): Dashboard {
  const subject = { resource: 'dashboard', engine: locks.label };
  checkDashboardOptions(options, subject);
  const { basePath = '/', prefix = '', everyMs = USUAL_MS, allowRelease, viewToken, hosts } = options;
  const way = releaseWayOf(allowRelease);
  const release = way.is;
  const board = new Board({ locks, prefix, everyMs, release });
  const base = basePath === '/' ? '/' : `${basePath}/`;

  const handle = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (!isOurHost(request, hosts)) return refusal(421, 'WRONG_HOST');
    // The addresses in the page are relative to the folder that it seems to be in. Not a path of ours: a proxy may have cut one off.
    if (pathname === basePath && pathname !== base)
      return answer(308, 'text/plain', null, {
        location: `${basePath.slice(basePath.lastIndexOf('/') + 1)}/`,
      });
    if (!pathname.startsWith(base)) return refusal(404, 'NOT_FOUND');
    const route = pathname.slice(base.length);
    if (request.method !== (route === 'release' ? 'POST' : 'GET'))
      return refusal(405, 'BAD_METHOD', { allow: route === 'release' ? 'POST' : 'GET' });
    if (route === '') return answer(200, 'text/html; charset=utf-8', PAGE);
    if (route === 'icon.svg') return answer(200, 'image/svg+xml', ICON);
    if (isAssetName(route)) return assetAnswer(route, request);
    if (isOfAnotherSite(request)) return refusal(403, 'CROSS_SITE');
    if (viewToken !== undefined && !hasToken(request, viewToken)) return refusal(401, 'NOT_ALLOWED');
    try {
      return await dataAnswer(route, request, searchParams);
    } catch (error) {
      // Of a driver, or of `authorize`. A framework may show a message that is thrown, and it may have the address of the store.
      if (!isHoldfastError(error)) return refusal(500, 'UNKNOWN');
      return refusal(error.code === 'BAD_ARGUMENT' ? 400 : 503, error.code);
    }
  };

  async function dataAnswer(route: string, request: Request, query: URLSearchParams): Promise<Response> {
    switch (route) {
      case 'events':
        if (board.isClosed) return refusal(503, 'CLOSED');
        // Without `x-accel-buffering` nginx keeps what is sent until it has a few kilobytes of it.
        return answer(200, 'text/event-stream', board.view(), {
          'cache-control': 'no-store, no-transform',
          'x-accel-buffering': 'no',
        });
      case 'snapshot': {
        const { rows } = await board.snapshot();
        return jsonAnswer(200, {
          engine: locks.label,
          release,
          rows: rows.map((one, at) => sentSighting(one, at + 1)),
        });
      }
      case 'details': {
        const name = query.get('name') ?? '';
        if (!name.startsWith(prefix)) return refusal(404, 'NOT_FOUND');
        const seen = await locks.inspector.describe((query.get('kind') ?? '') as Kind, name);
        return jsonAnswer(200, seen === null ? null : sentDescription(seen));
      }
      case 'release': {
        if (!(query.get('name') ?? '').startsWith(prefix)) return refusal(404, 'NOT_FOUND');
        const released = await forceReleaseAnswer(request, query, locks, way);
        // Only then: a client that is refused must not make the store work.
        if (released.status === 200) board.hint();
        return released;
      }
      default:
        return refusal(404, 'NOT_FOUND');
    }
  }

  const node = nodeListener(handle);
  const close = (): void => board.close();
  const fastify = fastifyPlugin({ basePath, node, close, subject });
  return Object.defineProperty(Object.assign(handle, { node, fastify, close }), 'viewers', {
    get: () => board.viewers,
  }) as Dashboard;
}
