import { redisConformance } from '../engines/redis/redis-conformance.ts';
import { plainKinds, valkeyKind } from '../engines/redis-drivers/client-kinds.ts';

for (const { name } of [valkeyKind, ...plainKinds]) redisConformance({ client: name, topology: 'single' });
