import { afterAll, beforeAll, describe } from 'vitest';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { ormCases } from './orm-cases.ts';
import { mariadbOrms } from './mariadb-orms.ts';
import { startMariadbGround } from './mariadb-ground.ts';

describeWith('mariadb')('on MariaDB', () => {
  let ground: Awaited<ReturnType<typeof startMariadbGround>>;
  beforeAll(async () => {
    ground = await startMariadbGround();
  });
  afterAll(() => ground?.stop());

  describe.each(Object.entries(mariadbOrms))('%s', (_, orm) => {
    ormCases(orm, () => ground);
  });
});
