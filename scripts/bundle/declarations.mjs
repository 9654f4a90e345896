import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** @typedef {{ from: string, name: string }} Reference a name of another module, or of a package */
/** @typedef {{ module: DeclarationModule, name: string, isTypeOnly: boolean }} Found */

/** One file of declarations that tsc has written: what it declares, imports and exports. */
export class DeclarationModule {
  /** @type {Map<string, { start: number, end: number, comment: number }[]>} the places of a declaration; overloads have several */
  declared = new Map();
  /** @type {Map<string, Reference>} */
  imported = new Map();
  /** @type {Map<string, { isTypeOnly: boolean } & ({ local: string } | Reference)>} */
  #exported = new Map();
  /** @type {{ from: string, isTypeOnly: boolean }[]} */
  #stars = [];
  /** @type {{ start: number, end: number }[]} */
  #comments;

  /** @type {Map<string, DeclarationModule>} */
  static #known = new Map();

  /** @param {string} path */
  static of(path) {
    const known = this.#known.get(path) ?? new DeclarationModule(path);
    this.#known.set(path, known);
    return known;
  }

  /** @param {string} path */
  constructor(path) {
    this.path = path;
    this.text = readFileSync(path, 'utf8');
    const { program, comments } = parseSync(path, this.text);
    this.#comments = comments;
    let end = 0;
    for (const node of program.body) {
      this.#read(node, end);
      end = node.end;
    }
    /** @type {{ start: number, end: number, reference: Reference }[]} `import('…').Name` in the midst of a type */
    this.inline = [];
    new Visitor({
      TSImportType: (node) => {
        if (node.source.value.startsWith('.') && node.qualifier?.type === 'Identifier')
          this.inline.push({
            start: node.start,
            end: node.qualifier.end,
            reference: { from: this.#resolve(node.source.value), name: node.qualifier.name },
          });
      },
    }).visit(program);
  }

  /**
   * @param {import('oxc-parser').Program['body'][number]} node
   * @param {number} comment where the comment before it begins
   */
  #read(node, comment) {
    if (node.type === 'ImportDeclaration') {
      for (const one of node.specifiers) {
        const name = one.type === 'ImportSpecifier' ? nameOf(one.imported) : '*';
        this.imported.set(one.local.name, { from: this.#resolve(node.source.value), name });
      }
    } else if (node.type === 'ExportAllDeclaration') {
      this.#stars.push({ from: this.#resolve(node.source.value), isTypeOnly: node.exportKind === 'type' });
    } else if (node.type === 'ExportNamedDeclaration' && !node.declaration) {
      for (const one of node.specifiers) {
        const isTypeOnly = node.exportKind === 'type' || one.exportKind === 'type';
        const local = nameOf(one.local);
        const target = node.source ? { from: this.#resolve(node.source.value), name: local } : { local };
        this.#exported.set(nameOf(one.exported), { isTypeOnly, ...target });
      }
    } else {
      const isExported = node.type === 'ExportNamedDeclaration';
      for (const name of namesDeclaredBy(isExported ? node.declaration : node)) {
        const places = this.declared.get(name) ?? [];
        this.declared.set(name, [...places, { start: node.start, end: node.end, comment }]);
        if (isExported) this.#exported.set(name, { isTypeOnly: false, local: name });
      }
    }
  }

  /** @param {string} specifier */
  #resolve(specifier) {
    return specifier.startsWith('.')
      ? join(dirname(this.path), specifier.replace(/\.ts$/, '.d.ts'))
      : specifier;
  }

  /** Every name that the module exports. @returns {string[]} */
  exportedNames() {
    const stars = this.#stars.flatMap(({ from }) => DeclarationModule.of(from).exportedNames());
    return [...new Set([...this.#exported.keys(), ...stars])];
  }

  /**
   * The declaration behind an exported name.
   * @param {string} name
   * @returns {Found | undefined}
   */
  findExported(name) {
    const own = this.#exported.get(name);
    if (own !== undefined) {
      const found =
        'local' in own ? this.findLocal(own.local) : DeclarationModule.of(own.from).findExported(own.name);
      return found && { ...found, isTypeOnly: found.isTypeOnly || own.isTypeOnly };
    }
    for (const { from, isTypeOnly } of this.#stars) {
      const found = DeclarationModule.of(from).findExported(name);
      if (found) return { ...found, isTypeOnly: found.isTypeOnly || isTypeOnly };
    }
    return undefined;
  }

  /**
   * The declaration behind a name that the module uses.
   * @param {string} name
   * @returns {Found | undefined}
   */
  findLocal(name) {
    if (this.declared.has(name)) return { module: this, name, isTypeOnly: false };
    const reference = this.imported.get(name);
    return reference && DeclarationModule.of(reference.from).findExported(reference.name);
  }

  /**
   * The text of a range, without its comments unless they are wanted, and with plain names for inline imports.
   * @param {{ start: number, end: number, comment: number }} place
   * @param {boolean} withComments
   */
  textOf({ start, end, comment }, withComments) {
    const from = withComments ? comment : start;
    const inside = (/** @type {{ start: number, end: number }} */ one) => one.start >= from && one.end <= end;
    const cuts = [
      ...(withComments ? [] : this.#comments.map((one) => ({ ...one, text: '' }))),
      ...this.inline.map((one) => ({ ...one, text: one.reference.name })),
    ].filter(inside);
    let text = '';
    let at = from;
    for (const cut of cuts.toSorted((one, other) => one.start - other.start)) {
      text += this.text.slice(at, cut.start) + cut.text;
      at = cut.end;
    }
    return (text + this.text.slice(at, end)).replaceAll(/^[ \t]*\n/gm, '').trim();
  }
}

/**
 * @param {any} node
 * @returns {string[]}
 */
function namesDeclaredBy(node) {
  if (node.type === 'VariableDeclaration')
    return node.declarations.map((/** @type {any} */ { id }) => id.name);
  if (node.id?.name === undefined) throw new Error(`a declaration of the kind ${node.type} is not expected`);
  return [node.id.name];
}

/** @param {any} node */
function nameOf(node) {
  return node.name ?? String(node.value);
}
