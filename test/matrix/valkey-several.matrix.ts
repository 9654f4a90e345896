import { redisConformance } from '../engines/redis/redis-conformance.ts';
import { valkeyKind } from '../engines/redis-drivers/client-kinds.ts';

for (const topology of ['sentinel', 'cluster'] as const)
  redisConformance({ client: valkeyKind.name, topology });
