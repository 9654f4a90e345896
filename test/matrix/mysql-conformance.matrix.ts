import { mysqlConformance } from '../engines/mysql/mysql-conformance.ts';

for (const client of ['mysql2', 'mariadb']) mysqlConformance(client);
