import { springTable } from './table.ts';

springTable({ version: 'spring-7', topology: 'single server', client: 'node-redis' });
