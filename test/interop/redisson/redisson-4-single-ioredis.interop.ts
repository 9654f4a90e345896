import { redissonTable } from './table.ts';

redissonTable({ version: 'redisson-4', topology: 'single server', client: 'ioredis' });
