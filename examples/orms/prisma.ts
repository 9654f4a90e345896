import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { postgres, type PostgresSettings, type PostgresSynchronizers } from 'holdfast/postgres';
import { PrismaClient } from './prisma/generated/postgres/client.ts';

/** Opens the pool first, and gives it to Prisma: so that the locks can use it, too. */
export function openPrisma(connectionString: string): { readonly pool: Pool; readonly prisma: PrismaClient } {
  const pool = new Pool({ connectionString });
  // Prisma listens for errors from its first query on. Before that, a connection that breaks would end the process.
  pool.on('error', (error) => console.error(`an idle connection broke: ${error.message}`));
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }) };
}

/** Locks over the pool of Prisma: a release wakes waiters by a notification. */
export function locksBesidePrisma(pool: Pool, settings: PostgresSettings = {}): PostgresSynchronizers {
  return postgres({ ...settings, pool });
}

/** Locks through Prisma itself, where its pool is out of reach: waiters poll the rows. */
export function locksThroughPrisma(
  prisma: PrismaClient,
  settings: PostgresSettings = {},
): PostgresSynchronizers {
  return postgres({ ...settings, pool: (text, values) => prisma.$queryRawUnsafe(text, ...values) });
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
