/** Something that users pass as the pool by mistake, and what to pass in its place. */
interface Mistake {
  /** Properties that only this has all of. */
  readonly shape: readonly string[];
  /** What it is, in words. */
  readonly is: string;
  /** What to write for `postgres()` and for `mysql()`. */
  readonly postgres: string;
  readonly mysql: string;
}

const POOL_OF_PG = 'Pass a pool: postgres({ pool: new pg.Pool({ connectionString }) }).';
const POOL_OF_MYSQL2 = "Pass a pool: mysql({ pool: createPool(uri) }), with createPool of 'mysql2/promise'.";
const FOR_POSTGRES = 'It is for PostgreSQL: write postgres({ pool }).';
const FOR_MYSQL = 'It is for MySQL and MariaDB: write mysql({ pool }).';
const SHARED = 'A single connection would be shared with your own transactions.';

/** Writes the body of a query function that borrows a connection of an ORM. */
function borrowing(engine: 'postgres' | 'mysql', acquire: string, release: string): string {
  const query =
    engine === 'postgres'
      ? 'return await connection.query(text, values);'
      : 'return (await connection.promise().query(text, values))[0];';
  return `Pass a function that borrows its connections: ${engine}({ pool: async (text, values) => { const connection = await ${acquire}; try { ${query} } finally { await ${release}; } } }).`;
}

const knexAcquire = 'knex.client.acquireConnection()';
const knexRelease = 'knex.client.releaseConnection(connection)';
const sequelizeAcquire = "sequelize.connectionManager.getConnection({ type: 'write' })";
const sequelizeRelease = 'sequelize.connectionManager.releaseConnection(connection)';

/**
 * Looked at after the clients that we take, and before functions: an instance of Knex is a function, and would be called
 * with the statement as the name of a table.
 */
const MISTAKES: readonly Mistake[] = [
  {
    shape: ['$queryRawUnsafe', '$executeRawUnsafe'],
    is: 'a Prisma client',
    postgres:
      'Pass the Pool of pg that you give to PrismaPg, or a function: postgres({ pool: (text, values) => prisma.$queryRawUnsafe(text, ...values) }).',
    mysql: 'Pass the pool of mariadb that you give to PrismaMariaDb: mysql({ pool }).',
  },
  {
    shape: ['raw', 'client', 'transaction', 'migrate'],
    is: 'an instance of Knex',
    postgres: borrowing('postgres', knexAcquire, knexRelease),
    mysql: borrowing('mysql', knexAcquire, knexRelease),
  },
  {
    shape: ['createQueryRunner', 'driver', 'entityMetadatas'],
    is: 'a DataSource of TypeORM',
    postgres: 'After initialize() pass its pool: postgres({ pool: dataSource.driver.master }).',
    mysql: 'After initialize() pass its pool: mysql({ pool: dataSource.driver.pool }).',
  },
  {
    shape: ['connection', 'getRepository', 'transaction', 'softRemove'],
    is: 'an EntityManager of TypeORM',
    postgres: 'Pass the pool of its DataSource: postgres({ pool: dataSource.driver.master }).',
    mysql: 'Pass the pool of its DataSource: mysql({ pool: dataSource.driver.pool }).',
  },
  {
    shape: ['connectionManager', 'define', 'authenticate'],
    is: 'an instance of Sequelize',
    postgres: borrowing('postgres', sequelizeAcquire, sequelizeRelease),
    mysql: borrowing('mysql', sequelizeAcquire, sequelizeRelease),
  },
  {
    shape: ['em', 'config', 'isConnected'],
    is: 'a MikroORM',
    postgres: 'Pass its pool: postgres({ pool: await orm.em.getConnection().getNativeClient() }).',
    mysql: 'Pass its pool: mysql({ pool: await orm.em.getConnection().getNativeClient() }).',
  },
  {
    shape: ['getConnection', 'fork', 'persist', 'flush'],
    is: 'an EntityManager of MikroORM',
    postgres: 'Pass its pool: postgres({ pool: await em.getConnection().getNativeClient() }).',
    mysql: 'Pass its pool: mysql({ pool: await em.getConnection().getNativeClient() }).',
  },
  {
    shape: ['$client', 'session', 'dialect'],
    is: 'a database of Drizzle',
    postgres: 'Pass its client: postgres({ pool: db.$client }).',
    mysql: 'Pass its client: mysql({ pool: db.$client }).',
  },
  {
    shape: ['executeQuery', 'selectFrom', 'dynamic'],
    is: 'an instance of Kysely',
    postgres:
      'Pass the Pool of pg that you give to its dialect, or a function: postgres({ pool: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) }).',
    mysql:
      'Pass the pool of mysql2 that you give to its dialect, or a function: mysql({ pool: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) }).',
  },
  {
    shape: ['connect', 'query', 'totalCount', 'idleCount', 'waitingCount'],
    is: 'a Pool of pg',
    postgres: POOL_OF_PG,
    mysql: FOR_POSTGRES,
  },
  {
    shape: ['connect', 'query', 'processID', 'connection'],
    is: 'a single Client of pg',
    postgres: `${SHARED} ${POOL_OF_PG}`,
    mysql: FOR_POSTGRES,
  },
  {
    shape: ['unsafe', 'typed', 'listen', 'begin'],
    is: 'the sql of postgres.js',
    postgres: POOL_OF_PG,
    mysql: FOR_POSTGRES,
  },
  {
    shape: ['unsafe', 'typed', 'savepoint'],
    is: 'the connection of one transaction of postgres.js',
    postgres: 'Pass the sql that began the transaction: postgres({ pool: sql }).',
    mysql: FOR_POSTGRES,
  },
  {
    shape: ['getConnection', 'execute', 'batch', 'taskQueueSize'],
    is: 'a pool of mariadb with callbacks',
    postgres: FOR_MYSQL,
    mysql: "Pass one with promises: mysql({ pool: createPool(uri) }), with createPool of 'mariadb'.",
  },
  {
    shape: ['getConnection', 'execute', 'format'],
    is: 'a pool of mysql2',
    postgres: FOR_MYSQL,
    mysql: POOL_OF_MYSQL2,
  },
  {
    shape: ['getConnection', 'query', 'acquireConnection'],
    is: 'a pool of the package mysql',
    postgres: FOR_MYSQL,
    mysql: `It cannot prepare statements. ${POOL_OF_MYSQL2}`,
  },
  {
    shape: ['threadId', 'query', 'beginTransaction'],
    is: 'a single connection to MySQL or MariaDB',
    postgres: FOR_MYSQL,
    mysql: `${SHARED} ${POOL_OF_MYSQL2}`,
  },
];

/** What the value is, and what to write in its place. Undefined for values that we do not know. */
export function mistakenPool(given: unknown, engine: 'postgres' | 'mysql'): string | undefined {
  if ((typeof given !== 'object' || given === null) && typeof given !== 'function') return undefined;
  const mistake = MISTAKES.find(({ shape }) => shape.every((name) => name in given));
  return mistake && `This is ${mistake.is}. ${mistake[engine]}`;
}
