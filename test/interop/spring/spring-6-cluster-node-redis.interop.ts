import { springTable } from './table.ts';

springTable({ version: 'spring-6', topology: 'cluster', client: 'node-redis' });
