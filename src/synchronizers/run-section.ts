/** How a section ends: what was acquired for it is released, or the section leaves what it entered. */
export interface SectionEnds {
  /** The section threw. Never rejects: the error of the section wins over what becomes of the release. */
  abandon(): Promise<void>;
  /** The section succeeded. Rejects if it may not have been alone. */
  finish(): Promise<void>;
}

/** What every `run` does once it has acquired: the section, then its end. */
export async function runSection<T>(section: () => T | PromiseLike<T>, ends: SectionEnds): Promise<T> {
  let result: T;
  try {
    result = await section();
  } catch (error) {
    await ends.abandon();
    throw error;
  }
  await ends.finish();
  return result;
}
