import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Program, parseSync } from 'oxc-parser';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A name that one module takes from another. */
export interface ImportedName {
  readonly by: string;
  /** The module that is named, as a path of the repository or as the specifier of a package. */
  readonly from: string;
  readonly name: string;
}

/** Every TypeScript file of a folder, as paths of the repository. */
export function modulesUnder(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `${folder}/${path.split(sep).join('/')}`)
    .toSorted();
}

/** Every name that a module imports or passes on; `*` for all of another module. */
export function importedNames(path: string): readonly ImportedName[] {
  return parsed(path).body.flatMap((node): ImportedName[] => {
    if (node.type === 'ImportDeclaration') {
      const from = resolved(path, node.source.value);
      return node.specifiers.map((one) => ({
        by: path,
        from,
        name: one.type === 'ImportSpecifier' ? nameOf(one.imported) : '*',
      }));
    }
    if (node.type === 'ExportAllDeclaration')
      return [{ by: path, from: resolved(path, node.source.value), name: '*' }];
    if (node.type === 'ExportNamedDeclaration' && node.source)
      return node.specifiers.map(({ local }) => ({
        by: path,
        from: resolved(path, node.source!.value),
        name: nameOf(local),
      }));
    return [];
  });
}

/** Every name that a module exports, also by `export *`. */
export function exportedNames(path: string): readonly string[] {
  return parsed(path).body.flatMap((node): readonly string[] => {
    if (node.type === 'ExportAllDeclaration') return exportedNames(resolved(path, node.source.value));
    if (node.type !== 'ExportNamedDeclaration') return [];
    const { declaration } = node;
    if (!declaration) return node.specifiers.map(({ exported }) => nameOf(exported));
    if (declaration.type === 'VariableDeclaration')
      return declaration.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : ''));
    return 'id' in declaration && declaration.id && 'name' in declaration.id ? [declaration.id.name] : [];
  });
}

function parsed(path: string): Program {
  return parseSync(path, readFileSync(join(root, path), 'utf8')).program;
}

function resolved(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}

function nameOf(node: { readonly type: string; readonly name?: string; readonly value?: unknown }): string {
  return node.name ?? String(node.value);
}
