import { readFileSync } from 'node:fs';
import { argumentTypeError } from '../../spi/errors.ts';

/** The parameters of an address that name files of TLS, in the form of PEM. */
export const tlsFileForms = { ca: 'text', cert: 'text', key: 'text' } as const;

/** The files of an address: whom to trust, and what proves who we are. */
export interface TlsFiles {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** Reads the files that an address names. */
export function readTlsFiles(
  paths: { readonly [K in keyof typeof tlsFileForms]?: string | undefined },
  engine: string,
): TlsFiles {
  const files: Record<string, Buffer> = {};
  for (const name of Object.keys(tlsFileForms) as (keyof typeof tlsFileForms)[]) {
    const path = paths[name];
    if (path !== undefined) files[name] = readFile(path, name, engine);
  }
  return files;
}

function readFile(path: string, name: string, engine: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = 'an error' } = error as NodeJS.ErrnoException;
    throw argumentTypeError(`connect: the file that the address names as ${name} cannot be read (${code}).`, {
      resource: 'connect',
      engine,
    });
  }
}
