import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkLockFile, lockFiles } from '../../scripts/check-lock-files.mjs';

interface Manifest {
  readonly version: string;
  readonly optionalDependencies?: Record<string, string>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly overrides?: Record<string, string | Record<string, string>>;
}

function manifest(path: string): Manifest {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')) as Manifest;
}

test.each(lockFiles)('%s names no download address and no install script', (path) => {
  expect(checkLockFile(path)).toEqual([]);
});

test.each(['package.json', 'bench/package.json', 'examples/orms/package.json', 'site/package.json'])(
  '%s pins every version exactly',
  (path) => {
    const { dependencies, devDependencies, overrides } = manifest(path);
    // An override may be for one package of another alone.
    const forced = Object.values(overrides ?? {}).flatMap((one) =>
      typeof one === 'string' ? [one] : Object.values(one),
    );
    const versions = Object.values({ ...dependencies, ...devDependencies });
    expect(
      [...versions, ...forced].filter(
        (version) => !/^(npm:[a-z@/-]+@)?\d+\.\d+\.\d+(-beta\.\d+)?$/.test(version),
      ),
    ).toEqual([]);
  },
);

test('stores in memory are shared by the copies of one version alone', () => {
  const source = readFileSync(new URL('../../src/engines/memory/connect-memory.ts', import.meta.url), 'utf8');
  expect(source).toContain(`Symbol.for('holdfast ${manifest('package.json').version} memory stores')`);
});

test('the library has no runtime dependency', () => {
  const { dependencies, optionalDependencies } = manifest('package.json');
  expect({ ...dependencies, ...optionalDependencies }).toEqual({});
});
