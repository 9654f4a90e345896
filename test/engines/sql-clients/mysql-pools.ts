import { createPool as createMariadbPool } from 'mariadb';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool as createMysql2Pool } from 'mysql2/promise';
import { mysqlClientFor } from '../../../src/engines/sql/clients/recognise.ts';
import { opened, type Opening } from './open-client.ts';

export const mysqlPools: Readonly<Record<string, Opening>> = {
  mysql2: (uri, connectionLimit = 5) => {
    const pool = createMysql2Pool({ uri, connectionLimit });
    return opened(pool, mysqlClientFor(pool), () => pool.end());
  },
  'mysql2 with callbacks': (uri, connectionLimit = 5) => {
    const pool = createCallbackPool({ uri, connectionLimit });
    return opened(pool, mysqlClientFor(pool), () => pool.promise().end());
  },
  mariadb: (url, most = 5) => {
    // MySQL asks for it where the connection is not encrypted; MariaDB does not know that way to log in.
    const pool = createMariadbPool(
      `${url.replace(/^mysql:/, 'mariadb:')}?connectionLimit=${most}&allowPublicKeyRetrieval=true`,
    );
    return opened(pool, mysqlClientFor(pool), () => pool.end());
  },
};
