import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { format, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CodeBlock, codeBlocks, expectedOutput } from './code-blocks.ts';
import { pages, read, root, sources } from './documents.ts';

const run = promisify(execFile);
/** Inside the repository, so that `holdfast` means this very package; one for each run, because two may run at once. */
const folder = join(root, '.build', `documentation-${process.pid}`);

const blocks = [...pages, ...sources].flatMap((path) => codeBlocks(path, read(path)));
/** Those with a remark run elsewhere, on a server (`on-redis`: `server-blocks.test.ts`), or say why they do not run. */
const runnable = blocks.filter(({ remark }) => remark === '');

function fileOf({ at, language }: CodeBlock): string {
  return join(folder, `${at.replaceAll(/[/:]/g, '_')}.${language === 'js' ? 'mjs' : language}`);
}

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  for (const block of blocks) writeFileSync(fileOf(block), block.code);
  // What an example writes beside itself goes with it.
  process.chdir(folder);
});

afterAll(() => {
  process.chdir(root);
  rmSync(folder, { recursive: true, force: true });
});

async function outputOf(block: CodeBlock): Promise<readonly string[]> {
  if (block.language !== 'ts') {
    const { stdout } = await run(process.execPath, [fileOf(block)], { cwd: folder, encoding: 'utf8' });
    return stdout.split('\n');
  }
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(format(...words)));
  try {
    await import(fileOf(block));
  } finally {
    log.mockRestore();
  }
  return lines;
}

/** The expected lines that are missing, looked for in their order among the others. */
function missing(expected: readonly string[], lines: readonly string[]): readonly string[] {
  let from = 0;
  return expected.filter((line) => {
    const found = lines.indexOf(line, from);
    from = found === -1 ? from : found + 1;
    return found === -1;
  });
}

describe('every example runs and prints what it says', () => {
  test.each(runnable.map((block) => [block.at, block] as const))(
    '%s',
    async (at, block) => {
      let lines: readonly string[];
      try {
        lines = await outputOf(block);
      } catch (error) {
        throw new Error(`the example at ${at} fails: ${String(error)}`, { cause: error });
      }
      expect(missing(expectedOutput(block), lines), `${at} printed ${JSON.stringify(lines)}`).toEqual([]);
    },
    30_000,
  );
});

test('every example has the right types, also those that do not run', async () => {
  const project = join(folder, 'tsconfig.json');
  const options = { incremental: false, tsBuildInfoFile: null, noUnusedLocals: false };
  const config = { extends: '../../tsconfig.json', compilerOptions: options, include: ['*.ts'], exclude: [] };
  writeFileSync(project, JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', project], { cwd: root }).catch(
    (error: { readonly stdout: string }) => error,
  );
  expect(stdout.replaceAll(`.build/${basename(folder)}/`, '')).toBe('');
}, 60_000);

test('an example that does not run says why', () => {
  const unexplained = blocks.filter(
    ({ remark }) => remark !== '' && !/^(?:no-run \S|on-(?:redis|postgres)$)/.test(remark),
  );
  expect(unexplained.map(({ at }) => at)).toEqual([]);
});
