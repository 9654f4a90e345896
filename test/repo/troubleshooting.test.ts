import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const page = read('docs/troubleshooting.md');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.generated.ts'))
  .map((path) => read(join('src', path)));

/** The members of a union of strings that src/spi/errors.ts declares. */
function membersOf(union: string): readonly string[] {
  const declared = new RegExp(`export type ${union} =([^;]+);`).exec(read('src/spi/errors.ts'))?.[1] ?? '';
  return [...declared.matchAll(/'([^']+)'/g)].map(([, member = '']) => member);
}

/** The texts in backticks of the first column of each table. */
const messages = [...page.matchAll(/^\| (`.+?`(?:, `.+?`)*) +\|/gm)].flatMap(([, cell = '']) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
);

test('the page has a section for every code, and none for another', () => {
  const codes = membersOf('ErrorCode');
  expect(codes.length).toBeGreaterThan(10);
  const sections = [...page.matchAll(/^## ([A-Z_]{3,})$/gm)].map(([, code = '']) => code);
  expect(sections.toSorted()).toEqual(codes.toSorted());
});

test('the page about errors has every code too', () => {
  const errors = read('docs/api/errors.md');
  expect(membersOf('ErrorCode').filter((code) => !errors.includes(`\`${code}\``))).toEqual([]);
});

test('it has every reason of a loss', () => {
  expect(membersOf('LossReason').filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
});

test('it has every warning, and no other', () => {
  const warned = sources
    .filter((text) => text.includes('HoldfastWarning'))
    .flatMap((text) => [...text.matchAll(/'(HOLDFAST_[A-Z_]+)'/g)].map(([, code = '']) => code));
  expect(warned.length).toBeGreaterThan(5);
  expect(messages.filter((text) => text.startsWith('HOLDFAST_')).toSorted()).toEqual(
    [...new Set(warned)].toSorted(),
  );
});

test('it has every exit code', () => {
  const codes = Object.values(EXIT).filter((code) => code > 1 && !messages.includes(String(code)));
  expect(codes).toEqual([]);
});

test('every message that it quotes is one of the sources', () => {
  // A long message is written in two literals, one below the other.
  const all = sources
    .join('\n')
    .replaceAll(/['`] \+\n\s*['`]/g, '')
    .replaceAll('\\`', '`');
  const quoted = messages.filter((text) => text.includes(' ') && !text.startsWith('holdfast '));
  expect(quoted.length).toBeGreaterThan(40);
  const unknown = quoted.filter((text) =>
    text
      .split('…')
      .map((part) => part.trim())
      .some((part) => !all.includes(part)),
  );
  expect(unknown).toEqual([]);
});
