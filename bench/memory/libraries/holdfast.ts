import { holdfastLocker } from '../../holdfast-locker.ts';
import type { Library } from '../../library.ts';

export const holdfastMemory: Library = {
  name: 'holdfast memory',
  open: async () => {
    const { memory } = await import('holdfast/memory');
    return holdfastLocker(memory(), 'lock');
  },
};
