import { readFileSync } from 'node:fs';

/** Of this package: its manifest lies two folders above, wherever it is installed. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
