/**
 * Whether the session commits each statement. A hook of the pool, `init_connect` or a proxy can turn that off: a grant
 * is then answered, never committed, and given to the next client as well. Checked in every statement and not once for
 * each connection: the application may turn it off later, on a connection that we have used before. We do not turn it
 * on: the application relies on its setting.
 */
export const COMMITS = '@@session.autocommit = 1';

/**
 * The prefix of a statement by which MariaDB limits its time. MySQL reads it as a comment: it has no such limit for
 * statements that change something.
 */
export function limitedMysql(limitMs: number | undefined): string {
  return limitMs === undefined
    ? ''
    : `/*M!100100 set statement max_statement_time = ${limitMs / 1000} for */ `;
}

/** Keeps the session's own setting while ours is in its place. */
const BEFORE = '@holdfast_idle_transaction_timeout';
const SETTING = 'session idle_transaction_timeout';

/**
 * A transaction that MariaDB rolls back when its client goes idle. Each end of it is one round trip: a block of
 * statements, because clients send only one unless they are configured otherwise. MySQL reads only what is outside of
 * the comments.
 *
 * Not `begin`: with sql_mode = ORACLE that opens a block.
 */
export function mysqlTransaction(limitMs: number | undefined): {
  readonly begin: string;
  readonly commit: string;
} {
  if (limitMs === undefined) return { begin: 'start transaction', commit: 'commit' };
  const seconds = Math.ceil(limitMs / 1000);
  return {
    begin: `/*M!100300 begin not atomic set ${BEFORE} = @@${SETTING.replace(' ', '.')}, ${SETTING} = ${seconds}; */ start transaction /*M!100300 ; end */`,
    commit: `/*M!100300 begin not atomic */ commit /*M!100300 ; set ${SETTING} = ${BEFORE}; end */`,
  };
}
