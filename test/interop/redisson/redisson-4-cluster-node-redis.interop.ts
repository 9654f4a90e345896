import { redissonTable } from './table.ts';

redissonTable({ version: 'redisson-4', topology: 'cluster', client: 'node-redis' });
