import { isPending, type MaybeAsync } from '../spi/maybe-async.ts';

/** How a section ends: what was acquired for it is released, or the section leaves what it entered. */
export interface SectionEnds<E> {
  /** The section threw. Never rejects: the error of the section wins over what becomes of the release. */
  abandon(entered: E): Promise<void>;
  /** The section succeeded. Throws or rejects if it may not have been alone. */
  finish(entered: E): MaybeAsync<void>;
}

/**
 * Awaited where there is nothing to wait for. To await the hold itself looks for a `then` in it and all above it, and to await
 * `undefined` makes a promise of it, each time.
 */
const NEXT_TURN = Promise.resolve();

/**
 * What every `run` does: it enters, runs the section, and ends it. One function for all three: each function of its own
 * costs a `run` in memory a promise, and with it a tenth of its time. For the same reason it awaits only what is not here yet; but
 * the section never begins in the turn of its caller.
 */
export async function runSection<E, T>(
  entering: MaybeAsync<E>,
  section: (entered: E) => T | PromiseLike<T>,
  ends: SectionEnds<E>,
): Promise<T> {
  let entered: E;
  if (isPending(entering)) entered = await entering;
  else {
    entered = entering;
    await NEXT_TURN;
  }
  let result: T;
  try {
    result = await section(entered);
  } catch (error) {
    await ends.abandon(entered);
    throw error;
  }
  const finishing = ends.finish(entered);
  if (isPending(finishing)) await finishing;
  return result;
}
