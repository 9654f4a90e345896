import { tracingChannel } from 'node:diagnostics_channel';
import { holdfastLocker } from '../../holdfast-locker.ts';
import { type ClientName, connect } from '../connections.ts';
import type { Library } from '../../library.ts';

export function holdfast(client: ClientName): Library {
  return over(client, 'lock', `holdfast (${client})`);
}

export function holdfastFair(client: ClientName): Library {
  return over(client, 'fairLock', `holdfast fair lock (${client})`);
}

/** The same while a program subscribes to all tracing channels, as one that measures its locks does. */
export function holdfastTraced(client: ClientName): Library {
  const untraced = holdfast(client);
  return {
    name: `holdfast with subscribers (${client})`,
    open: async (port, folder) => {
      let heard = 0;
      const hear = (): void => void heard++;
      for (const what of ['acquire', 'hold', 'renewal'])
        tracingChannel(`holdfast:${what}`).subscribe({
          start: hear,
          end: hear,
          asyncStart: hear,
          asyncEnd: hear,
          error: hear,
        });
      return untraced.open(port, folder);
    },
  };
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
