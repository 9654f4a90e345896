import { redisConformance } from './redis-conformance.ts';

redisConformance({ client: 'redis 6, RESP3', topology: 'single' });
