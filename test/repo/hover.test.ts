import { expect, test } from 'vitest';
import { entries as built, integrations } from '../../scripts/bundle/entries.mjs';
import { exportedDeclarations, type ExportedDeclaration, type SyntaxNode } from './exported-declarations.ts';

/** The sources of the entries that programs import; those of `holdfast/testing` are run, and not called. */
const entries = Object.entries(built)
  .filter(([name]) => name !== 'testing')
  .map(([, path]) => `src/${path}.ts`);

/** The entry for authors of engines: its types are documented as wholes, beside the page that builds an engine. */
const FOR_AUTHORS = 'src/engine.ts';

/** Members that an editor shows to users: options, traits, and what they call on the objects that they hold. */
const MEMBERS = new Set(['TSPropertySignature', 'TSMethodSignature']);

function hasComment(text: string, start: number): boolean {
  return text.slice(0, start).trimEnd().endsWith('*/');
}

/** The members of the object types that a node is made of: of an interface, a literal, or an intersection of them. */
function membersOf(node: SyntaxNode): readonly SyntaxNode[] {
  switch (node.type) {
    case 'TSInterfaceDeclaration':
      return (node['body'] as { readonly body: readonly SyntaxNode[] }).body;
    case 'TSTypeAliasDeclaration':
      return membersOf(node['typeAnnotation'] as SyntaxNode);
    case 'TSTypeLiteral':
      return node['members'] as readonly SyntaxNode[];
    case 'TSIntersectionType':
      return (node['types'] as readonly SyntaxNode[]).flatMap(membersOf);
    default:
      return [];
  }
}

/** The implementation of overloads is not shown: each overload has a comment of its own. */
function isVisible(
  { name, node }: ExportedDeclaration,
  _at: number,
  all: readonly ExportedDeclaration[],
): boolean {
  if (node.type !== 'FunctionDeclaration') return true;
  return !all.some((other) => other.name === name && other.node.type === 'TSDeclareFunction');
}

/** What of a declaration an editor would show without a word. A shape (`PgPoolLike`) is filled in by a client, and not by hand. */
function silentIn(
  { name, path, text, node, start }: ExportedDeclaration,
  withMembers: boolean,
): readonly string[] {
  const own = hasComment(text, start) ? [] : [`${path}: ${name}`];
  const members = (withMembers && !name.endsWith('Like') ? membersOf(node) : [])
    .filter((member) => MEMBERS.has(member.type) && !hasComment(text, member.start))
    .map((member) => `${path}: ${name}.${(member['key'] as { readonly name?: string }).name ?? '[…]'}`);
  return [...own, ...members];
}

test.each(entries)('every declaration and member that %s exports has a comment for the editor', (entry) => {
  const declarations = exportedDeclarations(entry).filter(isVisible);
  const small = [...Object.keys(integrations), 'dashboard'];
  const isSmall = small.some((name) => entry.includes(`/${name}/`));
  expect(declarations.length).toBeGreaterThan(isSmall ? 2 : 5);
  expect([...new Set(declarations.flatMap((one) => silentIn(one, entry !== FOR_AUTHORS)))]).toEqual([]);
});

test('every kind of synchronizer has one, which an editor shows at its factory', () => {
  const kinds = exportedDeclarations('src/spi/kinds.ts').find(({ name }) => name === 'KINDS')!;
  const [{ init }] = kinds.node['declarations'] as readonly [{ readonly init: SyntaxNode }];
  const properties = init['properties'] as readonly SyntaxNode[];
  expect(properties.length).toBe(9);
  expect(properties.filter(({ start }) => !hasComment(kinds.text, start))).toEqual([]);
});
