import { jdbcTable } from './jdbc-table.ts';

jdbcTable(6);
