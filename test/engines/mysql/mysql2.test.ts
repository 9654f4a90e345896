import { mysqlConformance } from './mysql-conformance.ts';

mysqlConformance('mysql2');
