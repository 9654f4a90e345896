import type { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { argumentTypeError } from '../../spi/errors.ts';
import type { Lock } from '../../spi/synchronizers.ts';
import type { RouteOptions, RouteSection } from '../routes/run-locked.ts';
import { lockRoute, type ReplyLike } from './lock-route.ts';

const SUBJECT = { resource: 'lockRoutes', engine: 'fastify' };

/** What the plugin needs of a request of Fastify. */
export interface RequestLike {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly method: string;
  readonly url: string;
  readonly raw: IncomingMessage;
}

/** Which lock a request needs, and how its route waits for it. */
export interface LockRoutesOptions extends RouteOptions {
  /** Names the lock of a request, after its body was read. Without an answer, the request runs without one. */
  lockOf(this: void, request: RequestLike): Lock | undefined;
}

type Handler = (this: unknown, request: RequestLike, reply: ReplyLike) => unknown;

interface DeclaredRoute {
  handler: Handler;
  config?: Readonly<Record<symbol, unknown>>;
}

interface MatchedRequest extends RequestLike {
  readonly is404: boolean;
  readonly routeOptions: { readonly config?: Readonly<Record<symbol, unknown>> };
}

/** What the plugin needs of an instance of Fastify. */
export interface InstanceLike {
  // A method, which is compared loosely: the instance declares one for each hook.
  addHook(name: string, hook: (...given: never[]) => unknown): unknown;
}

const sections = new WeakMap<object, RouteSection>();

/** The section of a request whose route a plugin has locked: its hold, and the signal of its end. Undefined for a request without a lock. */
export function sectionOf(request: object): RouteSection | undefined {
  return sections.get(request);
}

async function plugin(instance: InstanceLike, options: LockRoutesOptions): Promise<void> {
  if (typeof options.lockOf !== 'function')
    throw argumentTypeError('lockRoutes: lockOf must be a function of the request.', SUBJECT);
  // In the configuration of each route that this registration has locked: the handler is no mark, for Fastify binds it. Another registration,
  // of a context inside, locks the route too.
  const mark = Symbol('locked');

  instance.addHook('onRoute', (route: DeclaredRoute) => {
    route.handler = lockedHandler(route.handler, options);
    route.config = { ...route.config, [mark]: true };
  });

  /**
   * The race: a plugin is loaded later than it is registered, and a route that is declared in between has a handler without the lock. It
   * would run beside another request, without a sign of it.
   */
  instance.addHook('onRequest', async ({ is404, routeOptions, method, url }: MatchedRequest) => {
    if (is404 || routeOptions.config?.[mark] === true) return;
    throw argumentTypeError(
      `lockRoutes: ${method} ${url} was declared before the plugin was loaded, and has no lock. Write "await app.register(lockRoutes, …)" before the routes.`,
      SUBJECT,
    );
  });
}

function lockedHandler(handler: Handler, { lockOf, ...options }: LockRoutesOptions): Handler {
  return function (this: unknown, request, reply) {
    const lock = lockOf(request);
    if (lock === undefined) return handler.call(this, request, reply);
    const run = lockRoute(
      () => lock,
      (_request, _reply: ReplyLike, section) => {
        sections.set(request, section);
        return settled(handler.call(this, request, reply), reply.raw);
      },
      options,
    );
    return run(request, reply);
  };
}

/**
 * A handler that returns nothing sends its answer later, by a callback: its work is done when the response is. A client that has gone away ends the
 * response before the work: the signal of the section tells the handler.
 */
function settled(returned: unknown, response: ServerResponse): unknown {
  if (returned !== undefined || response.writableEnded || response.closed) return returned;
  return once(response, 'close').then(() => undefined);
}

/**
 * A plugin of Fastify: runs each route of the context that registers it, and of the contexts inside, under the lock that `lockOf` names. Routes
 * of other contexts are left alone.
 *
 * ```ts
 * import fastify from 'fastify';
 * import { lockRoutes, sectionOf } from 'holdfast/fastify';
 * import { memory } from 'holdfast/memory';
 *
 * const [app, locks] = [fastify(), memory()];
 * await app.register(lockRoutes, { lockOf: ({ url }) => locks.lock(url), timeoutMs: 500 });
 * app.post('/reports', async (request) => ({ fence: String(sectionOf(request)!.hold.fence) }));
 * console.log((await app.inject({ method: 'POST', url: '/reports' })).statusCode); // 200
 * ```
 */
export const lockRoutes: typeof plugin = Object.assign(plugin, {
  // Fastify gives a plugin a context of its own, whose hooks no route of the application would have.
  [Symbol.for('skip-override')]: true,
  [Symbol.for('fastify.display-name')]: 'holdfast-lock-routes',
  [Symbol.for('plugin-meta')]: { name: 'holdfast-lock-routes', fastify: '>=5' },
});
