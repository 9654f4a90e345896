const MODULE = /core\/import-package\.js$/;
/** As tsc writes it: the name passes a function that changes the extension of a relative path, and no package has one. */
const IMPORT = /await import\(__rewriteRelativeImportExtension\((.*\bname)\)\)/;

/**
 * Puts another call in the place of the one that imports a package of the user.
 * @param {(argument: string) => string} call
 * @param {string} functions what it needs besides
 * @returns {import('rolldown').Plugin}
 */
function importing(call, functions = '') {
  return {
    name: 'package-imports',
    transform: {
      filter: { id: MODULE },
      handler(code) {
        const found = IMPORT.exec(code);
        if (!found?.[1]) throw new Error('core/import-package.ts imports in a way that is not expected here');
        return code.replace(found[0], call(found[1])) + functions;
      },
    },
  };
}

/** Imports it, with the comments that keep bundlers from looking it up. */
export const byImport = importing((argument) => `await import(${argument})`);

/**
 * Requires it: Jest refuses `import()`. A package of ES modules alone is still imported, because Node says ERR_REQUIRE_ESM where a
 * flag forbids to load them by `require`. The result has the shape of a namespace, in which a CommonJS module is the `default`.
 */
export const byRequire = importing(
  () => 'await requirePackage(name)',
  `
async function requirePackage(name) {
  try {
    const found = require(name);
    return found.__esModule ? found : { ...found, default: found };
  } catch (error) {
    if (error?.code !== 'ERR_REQUIRE_ESM') throw error;
    return await import(name);
  }
}
`,
);

/**
 * Imports those that are in the bundle, and modules of Node, and no other: where one file lies, there may be packages of another program.
 * @param {readonly string[]} names
 */
export const byTable = (names) =>
  importing(
    () => 'await importBundled(name)',
    `
const bundled = {
${names.map((name) => `  ${JSON.stringify(name)}: () => import(${JSON.stringify(name)}),`).join('\n')}
};
async function importBundled(name) {
  if (name.startsWith('node:')) return await import(name);
  if (Object.hasOwn(bundled, name)) return await bundled[name]();
  throw Object.assign(new Error(name + ' is not in this file'), { code: 'MODULE_NOT_FOUND' });
}
`,
  );
