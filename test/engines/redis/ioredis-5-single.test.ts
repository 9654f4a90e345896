import { redisConformance } from './redis-conformance.ts';

redisConformance({ client: 'ioredis 5, RESP2', topology: 'single' });
