import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeclarationModule } from './declarations.mjs';
import { compiled, dist, entries, integrations } from './entries.mjs';

const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/**
 * Writes the types of the package: one file with every declaration that users can reach, and for each entry the list of its names.
 *
 * One set serves both builds. TypeScript tells by the name of a file whether it describes an ES module, and an ES module may
 * re-export a CommonJS one, but not the other way round: so the declarations lie on the side of CommonJS.
 *
 * An integration has a file of its own, which borrows from that one: its types are those of a package that few users have
 * installed, and a compiler that does not find the package would find fault with the types of all others.
 */
export function writeTypes() {
  const all = Object.entries(entries).map(([entry, module]) => ({ entry, names: namesOf(module) }));
  const exported = all.filter(({ entry }) => !Object.hasOwn(integrations, entry));
  const publicNames = exported.flatMap(({ names }) => [...names.values()]);
  const reached = reach(publicNames);
  mkdirSync(join(dist, 'cjs'), { recursive: true });
  const types = [...importLines(reached.packages), ...declarationLines(reached.declarations, publicNames)];
  const list = [...new Set(publicNames.map(({ name }) => name))].toSorted();
  writeFileSync(
    join(dist, 'cjs/types.d.cts'),
    withTabs(`${types.join('\n')}\nexport { ${list.join(', ')} };\n`),
  );
  for (const { entry, names } of all) {
    const text = exported.some((one) => one.entry === entry)
      ? entryText(names)
      : ownText(names, reached.declarations, new Set(list));
    writeFileSync(join(dist, `cjs/${entry}.d.cts`), text);
    writeFileSync(join(dist, `${entry}.d.ts`), `export * from './cjs/${entry}.cjs';\n`);
  }
}

/**
 * With a tab for each four spaces before a line: 25 KB less.
 * @param {string} text
 */
function withTabs(text) {
  return text.replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}

/**
 * The types of an integration: declarations that only it has, and the names that it borrows from the types of the package.
 * @param {Map<string, Found>} names
 * @param {Map<string, DeclarationModule>} shared
 * @param {Set<string>} open what the types of the package export
 */
function ownText(names, shared, open) {
  const found = [...names.values()];
  const { declarations, packages, borrowed } = reach(found, shared);
  const closed = [...borrowed].filter((name) => !open.has(name));
  if (closed.length > 0)
    throw new Error(`an integration needs ${closed.join(', ')}: export it in src/index.ts`);
  if (borrowed.size > 0) packages.set('./types.cjs', borrowed);
  const lines = [...importLines(packages), ...declarationLines(declarations, found)];
  return `${lines.join('\n')}\nexport { ${[...names.keys()].join(', ')} };\n`;
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
 * @param {Map<string, DeclarationModule>} [shared] what another file declares: borrowed from there, with all that it mentions
 */
function reach(names, shared = new Map()) {
  /** @type {Map<string, DeclarationModule>} */
  const declarations = new Map();
  /** @type {Map<string, Set<string>>} */
  const packages = new Map();
  /** @type {Set<string>} */
  const borrowed = new Set();
  const waiting = [...names];
  for (let found = waiting.pop(); found !== undefined; found = waiting.pop()) {
    const { module, name } = found;
    if (shared.get(name) === module) {
      borrowed.add(name);
      continue;
    }
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
  return { declarations, packages, borrowed };
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
