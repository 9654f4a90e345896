import type { OpenClient } from '../sql-clients/open-client.ts';

/** The tables as Spring Integration's scripts make them: of both layouts, and the usual one. */
export async function springTables(
  engine: 'postgres' | 'mysql',
  { client, end }: Pick<OpenClient, 'client' | 'end'>,
): Promise<void> {
  const time = engine === 'postgres' ? 'timestamp' : 'datetime(6)';
  const common = `LOCK_KEY char(36) not null, REGION varchar(100) not null, CLIENT_ID char(36), CREATED_DATE ${time} not null`;
  const expired = `, EXPIRED_AFTER ${time} not null`;
  for (const [prefix, columns] of [
    ['INT_', common + expired],
    ['V7_', common + expired],
    ['V6_', common],
  ]) {
    await client.query(
      `create table if not exists ${prefix}LOCK (${columns}, primary key (LOCK_KEY, REGION))`,
      [],
    );
  }
  await end();
}
