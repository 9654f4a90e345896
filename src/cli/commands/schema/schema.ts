import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../output/output.ts';
import { UsageError } from '../../usage-error.ts';

const ENGINES = ['postgres', 'mysql', 'sqlite'] as const;

/** Prints the statements that create the tables. */
export const schema: Command = async ({ words, options }) => {
  const [word, more] = words;
  const engine = ENGINES.find((one) => one === (word === 'mariadb' ? 'mysql' : word));
  if (engine === undefined || more !== undefined)
    throw new UsageError(`schema needs one of ${ENGINES.join(', ')}; Redis and ZooKeeper need no tables.`);
  const tablePrefix = options.get('table-prefix');
  const schemaName = options.get('schema');
  // All engines have the same function; that of SQLite loads the least.
  const { schemaSql } = await import('../../../engines/sqlite/index.ts');
  const settings = {
    ...(tablePrefix !== undefined && { tablePrefix }),
    ...(schemaName !== undefined && { schema: schemaName }),
  };
  print(schemaSql(engine, settings).trimEnd());
  return EXIT.ok;
};
