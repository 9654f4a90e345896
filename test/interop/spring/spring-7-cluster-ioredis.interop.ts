import { springTable } from './table.ts';

springTable({ version: 'spring-7', topology: 'cluster', client: 'ioredis' });
