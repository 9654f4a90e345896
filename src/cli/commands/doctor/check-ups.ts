import type { Finding } from '../../../spi/engine/finding.ts';
import type { Address } from '../../address.ts';
import { UsageError } from '../../usage-error.ts';

/** The check-up of each kind of store. */
export async function checkUpOf(address: Address): Promise<AsyncIterable<Finding>> {
  if (address.kind === 'here') {
    const [{ checkUp }, { ensureStateFile: stateFile }] = await Promise.all([
      import('../../../engines/sqlite/check-up.ts'),
      import('../../../engines/sqlite/file/state-file.ts'),
    ]);
    return checkUp(stateFile());
  }
  const { url } = address;
  const scheme = /^[a-z][a-z0-9+-]*(?=:)/.exec(url)?.[0] ?? '';
  if (scheme === 'sqlite')
    return (await import('../../../engines/sqlite/check-up.ts')).checkUp(
      (await import('../../../engines/sqlite/sqlite-address.ts')).parseSqliteAddress(url).file,
    );
  if (/^(redis|valkey)/.test(scheme))
    return (await import('../../../engines/redis/diagnostics/check-up.ts')).checkUp(url);
  if (/^postgres(ql)?$/.test(scheme))
    return (await import('../../../engines/postgres/check-up.ts')).checkUp(url);
  if (scheme === 'mysql' || scheme === 'mariadb')
    return (await import('../../../engines/mysql/check-up.ts')).checkUp(url);
  if (scheme === 'zookeeper' || scheme === 'zookeepers')
    return (await import('../../../engines/zookeeper/diagnostics/check-up.ts')).checkUp(url);
  if (scheme === 'etcd' || scheme === 'etcds')
    return (await import('../../../engines/etcd/diagnostics/check-up.ts')).checkUp(url);
  throw new UsageError(`doctor does not know the scheme "${scheme}:".`);
}
