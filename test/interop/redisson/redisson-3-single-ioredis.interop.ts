import { redissonTable } from './table.ts';

redissonTable({ version: 'redisson-3', topology: 'single server', client: 'ioredis' });
