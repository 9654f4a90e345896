import { mysqlConformance } from './mysql-conformance.ts';

mysqlConformance('mariadb');
