import { afterAll, beforeAll, describe } from 'vitest';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';
import { ormCases } from './orm-cases.ts';
import { postgresOrms } from './postgres-orms.ts';
import { startPostgresGround } from './postgres-ground.ts';

describeWith('postgres')('on PostgreSQL', () => {
  let ground: Awaited<ReturnType<typeof startPostgresGround>>;
  beforeAll(async () => {
    ground = await startPostgresGround();
  });
  afterAll(() => ground?.stop());

  describe.each(Object.entries(postgresOrms))('%s', (_, orm) => {
    ormCases(orm, () => ground);
  });
});
