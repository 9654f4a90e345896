import { Client } from 'pg';
import { type PostgresServer, startPostgres } from '../fixtures/sql/postgres-server.ts';
import type { FailingError, OrmGround } from './orm-cases.ts';

const STATES: Readonly<Record<FailingError, string>> = {
  deadlock: '40P01',
  full: '53100',
  'read-only': '25006',
};

/** A PostgreSQL for the cases of ORMs. */
export async function startPostgresGround(): Promise<
  OrmGround & { readonly server: PostgresServer; stop(): Promise<void> }
> {
  const server = await startPostgres();
  const admin = new Client({ connectionString: server.url });
  await admin.connect();
  const run = async (...statements: readonly string[]) => {
    let rows: readonly (readonly unknown[])[] = [];
    for (const text of statements) ({ rows } = await admin.query({ text, rowMode: 'array' }));
    return rows;
  };
  return {
    server,
    run,
    // A sequence counts, because no rollback takes its numbers back.
    failing: (prefix, error, times) => [
      `create sequence ${prefix}failures`,
      `create function ${prefix}fail() returns trigger language plpgsql as $$ begin
         if nextval('${prefix}failures') <= ${times} then raise exception 'as a test' using errcode = '${STATES[error]}'; end if;
         return new; end $$`,
      `create trigger failing before insert or update on ${prefix}cells for each row execute function ${prefix}fail()`,
    ],
    changesTried: async (prefix) => Number((await run(`select nextval('${prefix}failures')`))[0]?.[0]) - 1,
    springTable: [
      `create table if not exists INT_LOCK (LOCK_KEY char(36) not null, REGION varchar(100) not null,
         CLIENT_ID char(36), CREATED_DATE timestamp not null, EXPIRED_AFTER timestamp not null, primary key (LOCK_KEY, REGION))`,
    ],
    reader: (user, password, prefix) => [
      `create role ${user} login password '${password}'`,
      `grant select on ${prefix}cells, ${prefix}schema to ${user}`,
    ],
    endConnections: async () => {
      await run(
        `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
    },
    stop: async () => {
      await admin.end();
      await server.stop();
    },
  };
}
