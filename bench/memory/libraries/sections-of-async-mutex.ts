import type { Sections } from '../sections.ts';

export const runExclusive: Sections = {
  name: 'async-mutex runExclusive',
  open: async () => {
    const { Mutex } = await import('async-mutex');
    const mutex = new Mutex();
    return async (_name, sections, section) => {
      for (let done = 0; done < sections; done += 1) await mutex.runExclusive(section);
    };
  },
};
