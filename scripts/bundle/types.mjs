import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeclarationModule } from './declarations.mjs';
import { compiled, dist, entries } from './entries.mjs';

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/**
 * Writes the types of the package: one file with every declaration that users can reach, and for each entry the list of its names.
 *
 * One set serves both builds. TypeScript tells by the name of a file whether it describes an ES module, and an ES module may
 * re-export a CommonJS one, but not the other way round: so the declarations lie on the side of CommonJS.
 */
export function writeTypes() {
  const exported = Object.entries(entries).map(([entry, module]) => ({ entry, names: namesOf(module) }));
  const publicNames = exported.flatMap(({ names }) => [...names.values()]);
  const reached = reach(publicNames);
  mkdirSync(join(dist, 'cjs'), { recursive: true });
  const types = [...importLines(reached.packages), ...declarationLines(reached.declarations, publicNames)];
  const list = [...new Set(publicNames.map(({ name }) => name))].toSorted();
  writeFileSync(join(dist, 'cjs/types.d.cts'), `${types.join('\n')}\nexport { ${list.join(', ')} };\n`);
  for (const { entry, names } of exported) {
    writeFileSync(join(dist, `cjs/${entry}.d.cts`), entryText(names));
    writeFileSync(join(dist, `${entry}.d.ts`), `export * from './cjs/${entry}.cjs';\n`);
  }
}

/** @typedef {import('./declarations.mjs').Found} Found */

/** @param {string} entry */
function namesOf(entry) {
  const path = join(compiled, `${entry}.d.ts`);
  const module = DeclarationModule.of(path);
  return new Map(
    module.exportedNames().map((name) => {
      const found = module.findExported(name);
      if (found === undefined) throw new Error(`${path} exports ${name}, which is declared nowhere`);
      return [name, found];
    }),
  );
}

/**
 * Everything that the declarations of these names mention, and what those mention. By words, and not by what each word means there:
 * a property that has the name of another declaration may bring one too many.
 * @param {Found[]} names
 */
function reach(names) {
  /** @type {Map<string, DeclarationModule>} */
  const declarations = new Map();
  /** @type {Map<string, Set<string>>} */
  const packages = new Map();
  const waiting = [...names];
  for (let found = waiting.pop(); found !== undefined; found = waiting.pop()) {
    const { module, name } = found;
    const known = declarations.get(name);
    if (known === module) continue;
    if (known !== undefined)
      throw new Error(`${name} is declared in ${known.path} and in ${module.path}: rename one of them`);
    declarations.set(name, module);
    for (const place of module.declared.get(name) ?? []) {
      for (const { start, end, reference } of module.inline)
        if (start >= place.start && end <= place.end)
          waiting.push(declarationOf(DeclarationModule.of(reference.from), reference.name));
      for (const [word] of module.textOf(place, false).matchAll(WORD)) {
        const imported = module.imported.get(word);
        if (imported !== undefined && !imported.from.startsWith('/'))
          packages.set(imported.from, (packages.get(imported.from) ?? new Set()).add(word));
        else if (imported !== undefined || module.declared.has(word)) {
          const target = module.findLocal(word);
          if (target?.name !== word) throw new Error(`${module.path} knows ${word} under another name`);
          waiting.push(target);
        }
      }
    }
  }
  return { declarations, packages };
}

/**
 * @param {DeclarationModule} module
 * @param {string} name
 */
function declarationOf(module, name) {
  const found = module.findExported(name);
  if (found?.name !== name) throw new Error(`${module.path} exports ${name} under another name`);
  return found;
}

/** @param {Map<string, Set<string>>} packages */
function importLines(packages) {
  return [...packages].map(([from, names]) => `import type { ${[...names].join(', ')} } from '${from}';`);
}

/**
 * Only what users can name has its comments: editors show them.
 * @param {Map<string, DeclarationModule>} declarations
 * @param {Found[]} publicNames
 */
function declarationLines(declarations, publicNames) {
  const shown = new Set(publicNames.map(({ name }) => name));
  return [...declarations].flatMap(([name, module]) =>
    (module.declared.get(name) ?? []).map((place) =>
      module.textOf(place, shown.has(name)).replace(/^export (?=declare|interface|type|abstract|const)/m, ''),
    ),
  );
}

/** @param {Map<string, Found>} names */
function entryText(names) {
  const spelled = [...names].map(([name, found]) => ({
    isTypeOnly: found.isTypeOnly,
    text: name === found.name ? name : `${found.name} as ${name}`,
  }));
  const lineOf = (/** @type {boolean} */ isTypeOnly) => {
    const list = spelled.filter((one) => one.isTypeOnly === isTypeOnly).map(({ text }) => text);
    const keyword = isTypeOnly ? 'export type' : 'export';
    return list.length === 0 ? '' : `${keyword} { ${list.join(', ')} } from './types.cjs';\n`;
  };
  return lineOf(false) + lineOf(true);
}
