import { redisConformance } from './redis-conformance.ts';

redisConformance({ client: 'ioredis 6, RESP3', topology: 'cluster' });
