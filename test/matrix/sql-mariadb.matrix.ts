import { mysqlConformance } from '../engines/mysql/mysql-conformance.ts';

mysqlConformance('mariadb');
