import { PrismaMariaDb } from '@prisma/adapter-mariadb';
import { createPool, type Pool } from 'mariadb';
import { mysql, type MysqlSettings, type MysqlSynchronizers } from 'holdfast/mysql';
import { PrismaClient } from './prisma/generated/mysql/client.ts';

/** Opens the pool first, and gives it to Prisma: so that the locks can use it, too. */
export function openPrisma(uri: string): { readonly pool: Pool; readonly prisma: PrismaClient } {
  const { hostname, port, username, password, pathname } = new URL(uri);
  const pool = createPool({
    host: hostname,
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: pathname.slice(1),
  });
  return { pool, prisma: new PrismaClient({ adapter: new PrismaMariaDb(pool) }) };
}

/** Locks over the pool of Prisma. */
export function locksBesidePrisma(pool: Pool, settings: MysqlSettings = {}): MysqlSynchronizers {
  return mysql({ ...settings, pool });
}

/** Changes an account in a transaction of Prisma. Returns false if a holder with a larger fence has written before. */
export function addFenced(prisma: PrismaClient, id: number, amount: number, fence: bigint): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    const { count } = await transaction.account.updateMany({
      where: { id, fence: { lte: fence } },
      data: { balance: { increment: amount }, fence },
    });
    return count === 1;
  });
}
