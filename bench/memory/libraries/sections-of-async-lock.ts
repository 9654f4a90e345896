import type { Sections } from '../sections.ts';

/** As its README shows it: a key for each lock, and a function. It has no hold to give back. */
export const asyncLock: Sections = {
  name: 'async-lock',
  open: async () => {
    const { default: AsyncLock } = await import('async-lock');
    const locks = new AsyncLock();
    return async (name, sections, section) => {
      for (let done = 0; done < sections; done += 1) await locks.acquire(name, section);
    };
  },
};
