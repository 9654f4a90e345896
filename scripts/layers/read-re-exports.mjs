import { Visitor } from 'oxc-parser';

/** @typedef {{ name: string, specifier: string, offset: number }} ReExport */

/**
 * What a module exports that another module declares, in one statement or in two.
 *
 * @param {import('oxc-parser').Program} program
 * @returns {ReExport[]}
 */
export function readReExports(program) {
  /** @type {Map<string, string>} */
  const imported = new Map();
  /** @type {ReExport[]} */
  const found = [];
  /** @type {{ name: string, offset: number }[]} */
  const exported = [];
  new Visitor({
    ImportDeclaration: ({ source, specifiers }) => {
      for (const { local } of specifiers) imported.set(local.name, source.value);
    },
    ExportAllDeclaration: ({ source, start }) =>
      found.push({ name: '*', specifier: source.value, offset: start }),
    ExportNamedDeclaration: ({ source, specifiers, start }) => {
      for (const { local } of specifiers) {
        const name = local.type === 'Literal' ? local.value : local.name;
        if (source) found.push({ name, specifier: source.value, offset: start });
        else exported.push({ name, offset: start });
      }
    },
  }).visit(program);
  // An import may stand below the export that names it.
  for (const { name, offset } of exported) {
    const specifier = imported.get(name);
    if (specifier !== undefined) found.push({ name, specifier, offset });
  }
  return found;
}
