import { describe, expect, test } from 'vitest';
import { mysql } from 'holdfast/mysql';
import { postgres } from 'holdfast/postgres';
import { openMikroOrm } from '../../examples/orms/mikro-orm.ts';
import { openPrisma } from '../../examples/orms/prisma.ts';
import { openSequelize } from '../../examples/orms/sequelize.ts';
import { openTypeorm } from '../../examples/orms/typeorm.ts';
import { startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';

/** What the two factories say about something that is no pool. */
function refusals(given: unknown): readonly string[] {
  return [postgres, mysql].map((factory) => {
    try {
      factory({ pool: given as never });
      return 'accepted';
    } catch (error) {
      return error instanceof TypeError ? error.message : `no TypeError: ${String(error)}`;
    }
  });
}

describe('an ORM passed as the pool is refused, with what to pass', () => {
  test('Prisma, and an extended client', async () => {
    const { pool, prisma } = openPrisma('postgres://unused@127.0.0.1:1/nothing');
    expect(refusals(prisma)).toEqual([
      expect.stringContaining(
        'This is a Prisma client. Pass the Pool of pg that you give to PrismaPg, or a function: postgres({ pool: (text, values) => prisma.$queryRawUnsafe(text, ...values) }).',
      ),
      expect.stringContaining('Pass the pool of mariadb that you give to PrismaMariaDb: mysql({ pool }).'),
    ]);
    expect(refusals(prisma.$extends({}))[0]).toContain('a Prisma client');
    await prisma.$disconnect();
    await pool.end();
  });

  test('Sequelize', async () => {
    const sequelize = openSequelize('postgres://unused@127.0.0.1:1/nothing');
    expect(refusals(sequelize)).toEqual([
      expect.stringMatching(
        /an instance of Sequelize\. .*getConnection\(.*connection\.query\(text, values\)/,
      ),
      expect.stringMatching(/an instance of Sequelize\. .*promise\(\)\.query\(text, values\)/),
    ]);
    await sequelize.close();
  });

  test('MikroORM, and its EntityManager', async () => {
    const orm = await openMikroOrm('postgres://unused@127.0.0.1:1/nothing');
    expect(refusals(orm)).toEqual([
      expect.stringContaining('postgres({ pool: await orm.em.getConnection().getNativeClient() }).'),
      expect.stringContaining('mysql({ pool: await orm.em.getConnection().getNativeClient() }).'),
    ]);
    expect(refusals(orm.em)[0]).toContain('This is an EntityManager of MikroORM.');
    expect(refusals(orm.em.fork())[0]).toContain('This is an EntityManager of MikroORM.');
    await orm.close();
  });
});

describeWith('postgres')('on PostgreSQL', () => {
  test('TypeORM, and its EntityManager', async () => {
    await using server = await startPostgres();
    const dataSource = await openTypeorm('postgres', server.url);
    expect(refusals(dataSource)).toEqual([
      expect.stringContaining('postgres({ pool: dataSource.driver.master }).'),
      expect.stringContaining('mysql({ pool: dataSource.driver.pool }).'),
    ]);
    expect(refusals(dataSource.manager)[0]).toContain('This is an EntityManager of TypeORM.');
    await dataSource.transaction(async (manager) => {
      expect(refusals(manager)[0]).toContain('This is an EntityManager of TypeORM.');
    });
    await dataSource.destroy();
  });

  test('the client of a transaction of Prisma', async () => {
    await using server = await startPostgres();
    const { pool, prisma } = openPrisma(server.url);
    await prisma.$transaction(async (transaction) => {
      expect(refusals(transaction)[0]).toContain('This is a Prisma client.');
    });
    await prisma.$disconnect();
    await pool.end();
  });
});
