import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe } from 'vitest';
import { redisBinary } from '../fixtures/redis/redis-binary.ts';
import { zooKeeperClassPath } from '../fixtures/zookeeper/zookeeper-programs.ts';

/** What is built from test/interop/java, each with one version of a library. */
export type JavaModule =
  | 'redisson-4'
  | 'redisson-3'
  | 'curator-5-9'
  | 'curator-5-4'
  | 'spring-7'
  | 'spring-6'
  | 'spring-jdbc-7'
  | 'spring-jdbc-6';

const built = fileURLToPath(new URL('../../.build/interop/', import.meta.url));
const REMEDY =
  'The Java programs are not built. `npm run test:interop` builds them where there are a JDK (17 or newer) and Maven.';

export function classPathOf(module: JavaModule): string {
  const target = join(built, module, 'target');
  if (!existsSync(target)) throw new Error(REMEDY);
  return [join(target, `${module}-1.jar`), join(target, 'lib', '*')].join(delimiter);
}

/** As the jar is called that was really loaded. */
export function versionOf(module: JavaModule, artifact: string): string {
  const jars = readdirSync(join(built, module, 'target/lib'));
  const version = jars
    .map((jar) => /^(.+?)-(\d[^-]*)\.jar$/.exec(jar))
    .find((match) => match?.[1] === artifact)?.[2];
  if (version === undefined) throw new Error(`${module} has no ${artifact}.`);
  return version;
}

const isBuilt = existsSync(built);
if (!isBuilt) process.stderr.write(`${REMEDY}\n`);

/** Without what they need the tests are skipped, but not where the run decides about a merge. */
const describeWith = (server: string | undefined) =>
  (isBuilt && server !== undefined) || process.env['CI'] ? describe : describe.skip;

/** `describe` for tests beside real Java on Redis. */
export const describeJava = describeWith(redisBinary());

/** `describe` for tests beside real Java on ZooKeeper. */
export const describeCurator = describeWith(zooKeeperClassPath());
