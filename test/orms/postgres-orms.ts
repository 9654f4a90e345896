import { drizzle } from 'drizzle-orm/node-postgres';
import { sql } from 'drizzle-orm';
import knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { postgres } from 'holdfast/postgres';
import * as mikro from '../../examples/orms/mikro-orm.ts';
import * as prisma from '../../examples/orms/prisma.ts';
import * as sequelize from '../../examples/orms/sequelize.ts';
import * as typeorm from '../../examples/orms/typeorm.ts';
import * as drizzling from '../../examples/query-builders/drizzle.ts';
import * as knexing from '../../examples/query-builders/knex.ts';
import * as kyselying from '../../examples/query-builders/kysely.ts';
import { type Orm, ROLL_BACK } from './orm.ts';

const CHANGE = 'update accounts set balance = -1 where id = 1';
const MOST = 4;

/** A pool whose idle connections may break: without a listener that would end the process. */
function pgPool(connectionString: string): Pool {
  return new Pool({ connectionString, max: MOST }).on('error', () => undefined);
}

async function rollBackPrisma(
  client: ReturnType<typeof prisma.openPrisma>['prisma'],
  work: () => Promise<void>,
): Promise<unknown> {
  return client.$transaction(
    async (transaction) => {
      await transaction.$executeRawUnsafe(CHANGE);
      await work();
      throw ROLL_BACK;
    },
    { timeout: 60_000 },
  );
}

/** Every ORM and query builder on PostgreSQL, as its page opens it. */
export const postgresOrms: Readonly<Record<string, Orm>> = {
  'Prisma, by the pool': {
    hears: true,
    open: (url, settings) => {
      const { pool, prisma: client } = prisma.openPrisma(url);
      const locks = prisma.locksBesidePrisma(pool, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => prisma.addFenced(client, id, amount, fence),
        rollBack: (work) => rollBackPrisma(client, work),
        close: async () => {
          await locks.close();
          await client.$disconnect();
          await pool.end();
        },
      };
    },
  },
  'Prisma, by a function': {
    hears: false,
    open: (url, settings) => {
      const { pool, prisma: client } = prisma.openPrisma(url);
      const locks = prisma.locksThroughPrisma(client, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => prisma.addFenced(client, id, amount, fence),
        rollBack: (work) => rollBackPrisma(client, work),
        close: async () => {
          await locks.close();
          await client.$disconnect();
          await pool.end();
        },
      };
    },
  },
  TypeORM: {
    hears: true,
    open: async (url, settings) => {
      const dataSource = await typeorm.openTypeorm('postgres', url);
      const locks = typeorm.locksOverTypeorm(dataSource, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => typeorm.addFenced(dataSource, id, amount, fence),
        rollBack: (work) =>
          dataSource.transaction(async (manager) => {
            await manager.query(CHANGE);
            await work();
            throw ROLL_BACK;
          }),
        close: async () => {
          await locks.close();
          await dataSource.destroy();
        },
      };
    },
  },
  Sequelize: {
    hears: false,
    open: (url, settings) => {
      const db = sequelize.openSequelize(url);
      const locks = sequelize.locksOverSequelize(db, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => sequelize.addFenced(db, id, amount, fence),
        rollBack: (work) =>
          db.transaction(async (transaction) => {
            await db.query(CHANGE, { transaction });
            await work();
            throw ROLL_BACK;
          }),
        close: async () => {
          await locks.close();
          await db.close();
        },
      };
    },
  },
  MikroORM: {
    hears: true,
    open: async (url, settings) => {
      const orm = await mikro.openMikroOrm(url);
      const locks = await mikro.locksOverMikroOrm(orm, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => mikro.addFenced(orm, id, amount, fence),
        rollBack: (work) =>
          orm.em.fork().transactional(async (em) => {
            await em.execute(CHANGE);
            await work();
            throw ROLL_BACK;
          }),
        close: async () => {
          await locks.close();
          await orm.close();
        },
      };
    },
  },
  Drizzle: {
    hears: true,
    open: (url, settings) => {
      const db = drizzle({ client: pgPool(url) });
      const locks = drizzling.locksOverDrizzle(db, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => drizzling.addFenced(db, id, amount, fence),
        rollBack: (work) =>
          db.transaction(async (transaction) => {
            await transaction.execute(sql.raw(CHANGE));
            await work();
            throw ROLL_BACK;
          }),
        close: async () => {
          await locks.close();
          await db.$client.end();
        },
      };
    },
  },
  Knex: {
    hears: false,
    open: (url, settings) => {
      const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: MOST } });
      const locks = knexing.locksOverKnex(db, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => knexing.addFenced(db, id, amount, fence),
        rollBack: (work) =>
          db.transaction(async (transaction) => {
            await transaction.raw(CHANGE);
            await work();
            throw ROLL_BACK;
          }),
        close: async () => {
          await locks.close();
          await db.destroy();
        },
      };
    },
  },
  'Kysely, by a function': kysely(false),
  'Kysely, by the pool': kysely(true),
};

function kysely(hears: boolean): Orm {
  return {
    hears,
    open: (url, settings) => {
      const pool = pgPool(url);
      const db = new Kysely<kyselying.Database>({ dialect: new PostgresDialect({ pool }) });
      const locks = hears ? postgres({ ...settings, pool }) : kyselying.locksOverKysely(db, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => kyselying.addFenced(db, id, amount, fence),
        rollBack: (work) =>
          db.transaction().execute(async (transaction) => {
            await transaction.updateTable('accounts').set({ balance: -1 }).where('id', '=', 1).execute();
            await work();
            throw ROLL_BACK;
          }),
        close: async () => {
          await locks.close();
          await db.destroy();
        },
      };
    },
  };
}
