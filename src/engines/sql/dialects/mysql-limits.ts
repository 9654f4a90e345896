/**
 * Whether what a statement changes is committed by itself. A hook of the pool, `init_connect` or a proxy can turn that off,
 * and then a grant is answered, never committed, and given to the next client as well. It is part of every statement, and
 * not asked once for each connection: the application may turn it off later, on a connection that we have had before. We do
 * not turn it on: the application counts on what it has set.
 */
export const COMMITS = '@@session.autocommit = 1';

/**
 * What goes before a statement so that MariaDB ends it by itself. MySQL reads it as a comment: it has no such limit for
 * statements that change something.
 */
export function limitedMysql(limitMs: number | undefined): string {
  return limitMs === undefined
    ? ''
    : `/*M!100100 set statement max_statement_time = ${limitMs / 1000} for */ `;
}

/** The session's own setting, while ours is in its place. */
const BEFORE = '@holdfast_idle_transaction_timeout';
const SETTING = 'session idle_transaction_timeout';

/**
 * A transaction that MariaDB undoes when its client stands still, each end of it one round trip: a block of statements,
 * because clients send only one unless they are told otherwise. MySQL reads only what is outside of the comments.
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
