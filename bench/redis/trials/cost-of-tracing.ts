import type * as Engine from 'holdfast/redis';
import { costOfTracing } from '../../cost-of-tracing.ts';
import { holdfastLocker } from '../../holdfast-locker.ts';
import { ofPairs } from '../../paces.ts';
import { connect } from '../connections.ts';

/** On the client that sends the fastest, where it is the most of a pair. */
export const costOfTracingOnRedis = costOfTracing(
  'redis',
  async (files, port) => {
    const { redis } = (await files('redis.js')) as typeof Engine;
    const connection = await connect['ioredis 5'](port);
    return holdfastLocker(redis({ client: connection.client }), 'lock', () => connection.close());
  },
  50,
  ofPairs,
  { unheard: 1.02, heard: 1.05 },
);
