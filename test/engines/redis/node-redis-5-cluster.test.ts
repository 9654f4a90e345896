import { redisConformance } from './redis-conformance.ts';

redisConformance({ client: 'redis 5, RESP2', topology: 'cluster' });
