import type { IncomingMessage, ServerResponse } from 'node:http';
import { argumentRangeError, type ErrorSubject } from '../spi/errors.ts';

/** What the plugin needs of an instance of Fastify. */
export interface FastifyLike {
  /** Under which path the context is that registers the plugin. */
  readonly prefix: string;
  all(
    path: string,
    handler: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown },
    ) => void,
  ): unknown;
  // A method, which is compared loosely: the instance declares one for each hook.
  addHook(name: string, hook: () => Promise<void>): unknown;
}

interface FastifyParts {
  readonly basePath: string;
  readonly node: (request: IncomingMessage, response: ServerResponse) => void;
  readonly close: () => void;
  readonly subject: ErrorSubject;
}

/**
 * The dashboard as a plugin of Fastify: in a context of its own, whose routes have the hooks of the application, such as that of its login, and
 * add none to it. Its streams end before Fastify waits for the open connections.
 */
export function fastifyPlugin({ basePath, node, close, subject }: FastifyParts) {
  return async (instance: FastifyLike): Promise<void> => {
    const { prefix } = instance;
    const base = basePath === '/' ? '' : basePath;
    // The page would ask under the one for what is under the other.
    if (base !== prefix && !base.startsWith(`${prefix}/`))
      throw argumentRangeError(
        `${subject.resource}: basePath is ${JSON.stringify(basePath)}, and the context of Fastify that registers it has the prefix ${JSON.stringify(prefix)}. Give the whole path as basePath.`,
        subject,
      );
    const path = base.slice(prefix.length);
    for (const route of [path, `${path}/*`])
      if (route !== '' || prefix !== '')
        instance.all(route, (request, reply) => {
          reply.hijack();
          node(request.raw, reply.raw);
        });
    instance.addHook('preClose', async () => close());
  };
}
