import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/mysql2';
import knex from 'knex';
import { Kysely, MysqlDialect } from 'kysely';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool } from 'mysql2/promise';
import * as mikro from '../../examples/orms/mikro-orm-mysql.ts';
import * as prisma from '../../examples/orms/prisma-mysql.ts';
import * as sequelize from '../../examples/orms/sequelize.ts';
import * as typeorm from '../../examples/orms/typeorm.ts';
import * as drizzling from '../../examples/query-builders/drizzle.ts';
import * as knexing from '../../examples/query-builders/knex.ts';
import * as kyselying from '../../examples/query-builders/kysely.ts';
import { type Orm, ROLL_BACK } from './orm.ts';

const CHANGE = 'update accounts set balance = -1 where id = 1';
const MOST = 4;

/** Every ORM and query builder on MariaDB, as its page opens it. MySQL sends no messages: all of them poll. */
export const mariadbOrms: Readonly<Record<string, Orm>> = {
  Prisma: {
    hears: false,
    open: (url, settings) => {
      const { pool, prisma: client } = prisma.openPrisma(url);
      const locks = prisma.locksBesidePrisma(pool, settings);
      return {
        locks,
        addFenced: (id, amount, fence) => prisma.addFenced(client, id, amount, fence),
        rollBack: (work) =>
          client.$transaction(
            async (transaction) => {
              await transaction.$executeRawUnsafe(CHANGE);
              await work();
              throw ROLL_BACK;
            },
            { timeout: 60_000 },
          ),
        close: async () => {
          await locks.close();
          await client.$disconnect();
          await pool.end();
        },
      };
    },
  },
  TypeORM: {
    hears: false,
    open: async (url, settings) => {
      const dataSource = await typeorm.openTypeorm('mysql', url);
      const locks = typeorm.mysqlLocksOverTypeorm(dataSource, settings);
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
      const locks = sequelize.mysqlLocksOverSequelize(db, settings);
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
    hears: false,
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
    hears: false,
    open: (uri, settings) => {
      const db = drizzle({ client: createPool({ uri, connectionLimit: MOST }) });
      const locks = drizzling.mysqlLocksOverDrizzle(db, settings);
      return {
        locks,
        addFenced: (id, amount, fence) =>
          db.transaction(async (transaction) => {
            const [{ affectedRows }] = await transaction.execute(
              sql`update accounts set balance = balance + ${amount}, fence = ${fence} where id = ${id} and fence <= ${fence}`,
            );
            return affectedRows === 1;
          }),
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
      const db = knex({ client: 'mysql2', connection: url, pool: { min: 0, max: MOST } });
      const locks = knexing.mysqlLocksOverKnex(db, settings);
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
  Kysely: {
    hears: false,
    open: (uri, settings) => {
      const pool = createCallbackPool({ uri, connectionLimit: MOST });
      const db = new Kysely<kyselying.Database>({ dialect: new MysqlDialect({ pool }) });
      const locks = kyselying.mysqlLocksOverKysely(db, settings);
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
  },
};
