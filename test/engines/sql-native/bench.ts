import { afterEach } from 'vitest';
import type { OpenClient, Opening } from '../sql-clients/open-client.ts';
import { mysqlPools } from '../sql-clients/mysql-pools.ts';
import { postgresPools } from '../sql-clients/postgres-pools.ts';
import { type NativeEngine, type NativeOptions, openNative } from './native-engine.ts';

/** Opens engine objects with pools of their own, and closes them after each test, or after all where they run together. */
export function nativeBench(engine: 'postgres' | 'mysql', after = afterEach) {
  const open: (() => Promise<unknown>)[] = [];
  after(async () => {
    for (const close of open.splice(0).toReversed()) await close();
  });

  function client(url: string, name = engine === 'postgres' ? 'pg' : 'mysql2', most = 10): OpenClient {
    const opening: Opening = (engine === 'postgres' ? postgresPools : mysqlPools)[name]!;
    const user = opening(url, most);
    open.push(user.end);
    return user;
  }

  function locks(user: OpenClient, options: NativeOptions = {}): NativeEngine {
    const made = openNative(engine, user.client, options);
    open.push(() => made.close());
    return made;
  }

  return {
    client,
    locks,
    /** Both at once, for tests that need only the locks. */
    open: (url: string, name?: string, options?: NativeOptions) => locks(client(url, name), options),
  };
}
