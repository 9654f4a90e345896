import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** What tsc has made of src/: a script and its declarations for each module. */
export const compiled = join(root, '.build/library');

/** Where the package is built. */
export const dist = join(root, 'dist');

/** Entries for programs that other libraries run in, and the packages of their users that each imports. */
export const integrations = {
  opentelemetry: ['@opentelemetry/api'],
  prometheus: ['prom-client'],
  // These two know their frameworks by shape.
  express: [],
  fastify: [],
  nestjs: ['@nestjs/common'],
};

const engines = ['memory', 'redis', 'sqlite', 'postgres', 'mysql', 'zookeeper', 'etcd'];

/**
 * What users import: the name of the file in dist/, and the module behind it. `holdfast/redis` is `redis`; `exports` in package.json
 * names the same.
 */
export const entries = {
  index: 'index',
  ...Object.fromEntries(engines.map((name) => [name, `engines/${name}/index`])),
  engine: 'engine',
  testing: 'testing/index',
  dashboard: 'dashboard/index',
  ...Object.fromEntries(Object.keys(integrations).map((name) => [name, `integrations/${name}/index`])),
};
