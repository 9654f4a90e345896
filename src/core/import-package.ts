import { isError } from '../spi/is-error.ts';

/**
 * Imports a package of the user, which may not be installed.
 *
 * The tempting `import('pg')` names the package in the text: esbuild, webpack and Bun look it up when they bundle a program that
 * imports Holdfast, and fail where only another client is installed. By a name that is known at run time the package stays outside
 * of the bundle, and the two comments keep webpack and Vite from replacing the call by one that always fails. The CommonJS build has
 * `require` here (scripts/bundle/package-imports.mjs): Jest refuses `import()`.
 */
export async function importPackage(name: string): Promise<object> {
  return (await import(/* webpackIgnore: true */ /* @vite-ignore */ name)) as object;
}

/** The same, or undefined if the package is not installed. A package that is installed and fails to load is an error. */
export async function importIfInstalled(name: string): Promise<object | undefined> {
  try {
    return await importPackage(name);
  } catch (error) {
    const code = isError(error) && 'code' in error ? error.code : undefined;
    if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
