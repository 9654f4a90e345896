import { holdfastLocker } from '../../holdfast-locker.ts';
import { type ClientName, connect } from '../connections.ts';
import type { Library } from '../../library.ts';

export function holdfast(client: ClientName): Library {
  return over(client, 'lock', `holdfast (${client})`);
}

export function holdfastFair(client: ClientName): Library {
  return over(client, 'fairLock', `holdfast fair lock (${client})`);
}

function over(client: ClientName, kind: 'lock' | 'fairLock', name: string): Library {
  return {
    name,
    open: async (port) => {
      const [{ redis }, connection] = await Promise.all([import('holdfast/redis'), connect[client](port)]);
      return holdfastLocker(redis({ client: connection.client }), kind, () => connection.close());
    },
  };
}
