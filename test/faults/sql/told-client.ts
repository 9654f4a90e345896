import type { SqlClient, SqlSession } from '../../../src/engines/sql/sql-client.ts';

/** The same client, which tells the text of each statement before it sends it, also of those inside transactions. */
export function toldClient(client: SqlClient, tell: (text: string) => void): SqlClient {
  const { openSession: session } = client;
  return {
    atOnce: client.atOnce,
    query: (text, values) => {
      tell(text);
      return client.query(text, values);
    },
    abandonAfter: (ms) => client.abandonAfter?.(ms),
    failure: (error) => client.failure(error),
    openSession: session && (async () => toldSession(await session(), tell)),
    listen: client.listen,
    close: () => client.close(),
  };
}

function toldSession(session: SqlSession, tell: (text: string) => void): SqlSession {
  return {
    native: session.native,
    onNotice: session.onNotice,
    serverPid: session.serverPid,
    query: (text, values) => {
      tell(text);
      return session.query(text, values);
    },
    onBroken: (told) => session.onBroken(told),
    end: (how) => session.end(how),
  };
}
