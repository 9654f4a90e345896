import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeJava, type JavaModule, versionOf } from './java-build.ts';

const VERSIONS: readonly (readonly [page: string, module: JavaModule, artifact: string])[] = [
  ['redisson.md', 'redisson-4', 'redisson'],
  ['redisson.md', 'redisson-3', 'redisson'],
  ['curator.md', 'curator-5-9', 'curator-recipes'],
  ['curator.md', 'curator-5-4', 'curator-recipes'],
  ['spring.md', 'spring-7', 'spring-integration-redis'],
  ['spring.md', 'spring-6', 'spring-integration-redis'],
  ['spring.md', 'spring-jdbc-7', 'spring-integration-jdbc'],
  ['spring.md', 'spring-jdbc-6', 'spring-integration-jdbc'],
];

describeJava('the versions that were run', () => {
  test.each(VERSIONS)('%s names that of %s', (page, module, artifact) => {
    const text = readFileSync(new URL(`../../docs/wire/${page}`, import.meta.url), 'utf8');
    expect(text).toContain(versionOf(module, artifact));
  });
});
