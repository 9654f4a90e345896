import { holdfastLocker } from '../../holdfast-locker.ts';
import type { Library } from '../../library.ts';

export const holdfast = over('lock', 'holdfast');
export const holdfastFair = over('fairLock', 'holdfast fair lock');

function over(kind: 'lock' | 'fairLock', what: string): Library {
  return {
    name: `${what} (zookeeper)`,
    open: async (port) => {
      const { zookeeper } = await import('holdfast/zookeeper');
      return holdfastLocker(zookeeper({ servers: `127.0.0.1:${port}` }), kind);
    },
  };
}
