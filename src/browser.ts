import { type ErrorSubject, EngineError } from './spi/errors.ts';

export * from './spi/errors.ts';

/**
 * What a bundler for browsers finds under the name `holdfast`: code that a page and a server share may tell errors apart, and has no
 * use for the rest, which needs the modules of Node. Without this entry esbuild, webpack and Bun refuse the whole program.
 */
function needsNode(resource: string): EngineError {
  const subject: ErrorSubject = { resource, engine: 'unknown' };
  return new EngineError(
    `${resource}: locks are held by a program that runs in Node, and this one was bundled for a browser. Set the bundler's platform or target to Node.`,
    subject,
    { retryable: false },
  );
}

/** Rejects: there is no engine that a browser could open. */
export async function connect(): Promise<never> {
  throw needsNode('connect');
}

/** Throws: there are no locks in a browser. */
export function multiLock(): never {
  throw needsNode('multiLock');
}

/** Throws: there are no locks in a browser. */
export function quorumLock(): never {
  throw needsNode('quorumLock');
}
