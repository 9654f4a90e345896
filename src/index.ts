import { argumentTypeError } from './spi/errors.ts';
import type { Synchronizers } from './spi/synchronizers.ts';

export * from './spi/errors.ts';
export type * from './spi/synchronizers.ts';
export type { Traits } from './spi/traits.ts';
export type { Clock, Random, Timer } from './spi/clock.ts';
export { multiLock } from './primitives/multi-lock.ts';
export { quorumLock } from './primitives/quorum-lock.ts';

/** Opens the engine of each kind of address. Engines are loaded when they are asked for, and no sooner. */
const openers: Readonly<Record<string, (url: string) => Promise<Synchronizers>>> = {
  'memory:': async (url) => (await import('./engines/memory/connect-memory.ts')).connectMemory(url),
};

/**
 * Opens an engine by its address.
 *
 * `memory:` is shared by everybody in this process who connects to the same address, as a server's address would be:
 * `memory:`, `memory:billing`.
 *
 * @example
 * ```ts
 * import { connect } from 'holdfast';
 *
 * await using locks = await connect('memory:');
 * await locks.lock('migration').run(() => console.log('alone'));
 * ```
 */
export async function connect(url: string): Promise<Synchronizers> {
  const scheme = typeof url === 'string' ? /^[a-z][a-z0-9+-]*:/.exec(url)?.[0] : undefined;
  const open = scheme === undefined ? undefined : openers[scheme];
  if (open !== undefined) return open(url);
  // The address may contain a password: only its scheme is shown.
  throw argumentTypeError(
    `connect: ${scheme === undefined ? 'the address needs a scheme' : `there is no engine for ${JSON.stringify(scheme)}`}; known are ${Object.keys(openers).join(', ')}`,
    { resource: 'connect', engine: scheme ?? 'unknown' },
  );
}
