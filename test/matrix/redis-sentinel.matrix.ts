import { redisConformance } from '../engines/redis/redis-conformance.ts';
import { clientKinds } from '../engines/redis-drivers/client-kinds.ts';

for (const { name } of clientKinds) redisConformance({ client: name, topology: 'sentinel' });
