import { expect, test } from 'vitest';
import { importIfInstalled, importPackage } from '../../src/core/import-package.ts';

const NOWHERE = 'holdfast-is-not-a-package';

test('a package that is installed is imported', async () => {
  expect(await importPackage('node:path')).toHaveProperty('join');
  expect(await importIfInstalled('node:path')).toHaveProperty('join');
});

test('one that is not is an error, or undefined', async () => {
  await expect(importPackage(NOWHERE)).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' });
  expect(await importIfInstalled(NOWHERE)).toBeUndefined();
});

test('one that fails to load is always an error', async () => {
  const broken = 'data:text/javascript,throw new RangeError("as expected")';
  await expect(importIfInstalled(broken)).rejects.toThrow('as expected');
});
