import { redisConformance } from './redis-conformance.ts';

redisConformance({ client: 'redis 5, RESP3', topology: 'sentinel' });
