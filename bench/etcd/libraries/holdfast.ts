import { holdfastLocker } from '../../holdfast-locker.ts';
import type { Library } from '../../library.ts';

export const holdfastOnEtcd = over('lock', 'holdfast');
export const holdfastFairOnEtcd = over('fairLock', 'holdfast fair lock');

function over(kind: 'lock' | 'fairLock', what: string): Library {
  return {
    name: `${what} (etcd)`,
    open: async (port) => {
      const { etcd } = await import('holdfast/etcd');
      return holdfastLocker(etcd({ endpoints: `127.0.0.1:${port}` }), kind);
    },
  };
}
