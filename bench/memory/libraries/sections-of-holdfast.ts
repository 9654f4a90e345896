import type { Sections } from '../sections.ts';

export const holdfastRun: Sections = {
  name: 'holdfast memory, run',
  open: async () => {
    const { memory } = await import('holdfast/memory');
    const locks = memory();
    return async (name, sections, section) => {
      const lock = locks.lock(name);
      for (let done = 0; done < sections; done += 1) await lock.run(section);
    };
  },
};
