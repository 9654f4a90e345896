import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unrunBlocks } from '../../scripts/documents/unrun-blocks.mjs';
import { codeBlocks } from './code-blocks.ts';
import { pages, read, root, sources } from './documents.ts';
import { ExampleFolder } from './run-block.ts';

const run = promisify(execFile);
const blocks = [...pages, ...sources].flatMap((path) => codeBlocks(path, read(path)));
/** Those with a remark need a server (`server-examples.test.ts`), or say why they do not run. */
const runnable = blocks.filter(({ remark }) => remark === '');
let folder: ExampleFolder;

beforeAll(() => {
  folder = new ExampleFolder('documentation');
  for (const block of blocks) folder.write(block);
  // What an example writes beside itself goes with it.
  process.chdir(folder.path);
});

afterAll(() => {
  process.chdir(root);
  folder.remove();
});

describe('every example runs and prints what it says', () => {
  test.each(runnable.map((block) => [block.at, block] as const))(
    '%s',
    async (_, block) => expect(await folder.missingLines(block)).toEqual([]),
    30_000,
  );
});

test('every example has the right types, also those that do not run', async () => {
  const project = join(folder.path, 'tsconfig.json');
  const options = { incremental: false, tsBuildInfoFile: null, noUnusedLocals: false };
  const config = { extends: '../../tsconfig.json', compilerOptions: options, include: ['*.ts'], exclude: [] };
  writeFileSync(project, JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', project], { cwd: root }).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(stdout.replaceAll(`.build/${basename(folder.path)}/`, '')).toBe('');
}, 60_000);

describe('an example that does not run says why', () => {
  const exists = (file: string) => file === 'src/there.ts' || file === 'test/there.test.ts';
  const block = (opening: string, first = '1;') => `Text\n\n\`\`\`${opening}\n${first}\n\`\`\`\n`;

  test('on every page', () => {
    expect(pages.flatMap((path) => unrunBlocks(path, read(path)))).toEqual([]);
  });

  test.each([
    ['ts', '1;'],
    ['ts on-redis', '1;'],
    ['ts no-run it is yours', '1;'],
    ['ts no-run needs a ZooKeeper; test/there.test.ts runs it', '1;'],
    ['typescript', '// src/there.ts'],
    ['sh', 'date'],
  ])('"%s" is allowed', (opening, first) => {
    expect(unrunBlocks('page.md', block(opening, first), exists)).toEqual([]);
  });

  test.each([
    ['javascript', '1;'],
    ['ts no-run', '1;'],
    ['ts on-mars', '1;'],
    ['ts no-run test/gone.test.ts runs it', '1;'],
    ['typescript', '1;'],
    ['typescript', '// src/gone.ts'],
  ])('"%s" is not', (opening, first) => {
    expect(unrunBlocks('page.md', block(opening, first), exists)).toHaveLength(1);
  });
});
