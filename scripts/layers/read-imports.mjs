import { Visitor } from 'oxc-parser';

/** @typedef {'value' | 'type' | 'dynamic'} Manner */
/** @typedef {{ specifier: string, manner: Manner, offset: number }} Import */

/**
 * Every way in which a module can name another one.
 *
 * `import { type A } from 'b'` counts as a value: under `verbatimModuleSyntax` the import of 'b' stays.
 *
 * @param {import('oxc-parser').Program} program
 * @returns {Import[]}
 */
export function readImports(program) {
  /** @type {Import[]} */
  const imports = [];
  /**
   * @param {{ value: unknown }} source
   * @param {Manner} manner
   * @param {{ start: number }} node
   */
  const add = (source, manner, node) =>
    imports.push({ specifier: String(source.value), manner, offset: node.start });

  new Visitor({
    ImportDeclaration: (node) => add(node.source, node.importKind === 'type' ? 'type' : 'value', node),
    ExportAllDeclaration: (node) => add(node.source, node.exportKind === 'type' ? 'type' : 'value', node),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source, node.exportKind === 'type' ? 'type' : 'value', node);
    },
    TSImportType: (node) => add(node.source, 'type', node),
    ImportExpression: (node) => {
      const value = node.source.type === 'Literal' ? node.source.value : '(not a literal)';
      add({ value }, 'dynamic', node);
    },
  }).visit(program);
  return imports;
}
