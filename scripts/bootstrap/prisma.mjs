import { join } from 'node:path';
import { makeOnce } from './fingerprint.mjs';
import { root, run, say } from './run.mjs';

const folder = 'examples/orms';

/** Writes the Prisma clients of the examples, by Prisma's own command. */
export function generatePrismaClients() {
  const schemas = ['postgres', 'mysql'].map((name) => `prisma/${name}.prisma`);
  const output = join(folder, 'prisma/generated');
  const inputs = [...schemas.map((path) => join(folder, path)), join(folder, 'package-lock.json')];
  makeOnce({ stamp: join(output, '.holdfast-hash'), output, inputs }, () => {
    say('generating the Prisma clients (once) …');
    // Without this the command downloads an engine for migrations, which it does not use here.
    process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
    process.env['CHECKPOINT_DISABLE'] ??= '1';
    const command = join(root, folder, 'node_modules/prisma/build/index.js');
    for (const schema of schemas)
      run(process.execPath, [command, 'generate', '--no-hints', '--schema', schema], folder);
  });
}
