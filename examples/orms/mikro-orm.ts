import { defineEntity, MikroORM, p, raw } from '@mikro-orm/postgresql';
import { postgres, type PostgresSettings, type PostgresSynchronizers } from 'holdfast/postgres';

const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: { id: p.integer().primary(), balance: p.integer(), fence: p.bigint() },
});

export function openMikroOrm(clientUrl: string): Promise<MikroORM> {
  return MikroORM.init({ clientUrl, entities: [Account] });
}

/** Locks over the pool of MikroORM: a release wakes waiters by a notification. */
export async function locksOverMikroOrm(
  { em }: MikroORM,
  settings: PostgresSettings = {},
): Promise<PostgresSynchronizers> {
  return postgres({ ...settings, pool: await em.getConnection().getNativeClient() });
}

/** Changes an account in a transaction of MikroORM. Returns false if a holder with a larger fence has written before. */
export function addFenced({ em }: MikroORM, id: number, amount: number, fence: bigint): Promise<boolean> {
  return em.fork().transactional(async (transaction) => {
    const changed = await transaction.nativeUpdate(
      Account,
      { id, fence: { $lte: fence } },
      { balance: raw<number>('balance + ?', [amount]), fence },
    );
    return changed === 1;
  });
}
