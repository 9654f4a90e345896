import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A node of the syntax tree, as far as it is read here. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly [field: string]: unknown;
}

/** A declaration that users reach by an entry of the package. */
export interface ExportedDeclaration {
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly node: SyntaxNode;
  /** Where the statement begins, which a comment stands before. */
  readonly start: number;
}

interface Module {
  readonly text: string;
  readonly body: readonly SyntaxNode[];
}

const modules = new Map<string, Module>();

function moduleAt(path: string): Module {
  const known = modules.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, path), 'utf8');
  const body = parseSync(path, text).program.body as unknown as readonly SyntaxNode[];
  const module = { text, body };
  modules.set(path, module);
  return module;
}

/** All that a module exports, declared there or passed on from another module of src. */
export function exportedDeclarations(path: string): readonly ExportedDeclaration[] {
  const { text, body } = moduleAt(path);
  return body.flatMap((statement): readonly ExportedDeclaration[] => {
    const from = (statement['source'] as { readonly value: string } | null | undefined)?.value;
    const target = from === undefined ? undefined : join(dirname(path), from);
    if (statement.type === 'ExportAllDeclaration') return exportedDeclarations(target!);
    if (statement.type !== 'ExportNamedDeclaration') return [];
    const { declaration } = statement as { readonly declaration?: SyntaxNode | null };
    if (declaration) {
      const start = statement.start;
      return namesOf(declaration).map((name) => ({ name, path, text, node: declaration, start }));
    }
    const specifiers = statement['specifiers'] as readonly { readonly local: { readonly name: string } }[];
    const wanted = new Set(specifiers.map(({ local }) => local.name));
    return exportedDeclarations(target!).filter(({ name }) => wanted.has(name));
  });
}

function namesOf(declaration: SyntaxNode): readonly string[] {
  const named = declaration as { readonly id?: { readonly name: string } | null };
  if (named.id) return [named.id.name];
  const { declarations = [] } = declaration as {
    readonly declarations?: readonly { readonly id: { readonly name: string } }[];
  };
  return declarations.map(({ id }) => id.name);
}
