import { redissonTable } from './table.ts';

redissonTable({ version: 'redisson-3', topology: 'cluster', client: 'node-redis' });
