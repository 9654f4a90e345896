// Writes dist/: `node scripts/bundle-library.mjs`, after `tsc -b tsconfig.build.json` has written the declarations. ES modules with
// the command line, the same as CommonJS, their types, and the page of the dashboard; see docs/decisions/0010-two-builds-of-few-files.md.
import { rmSync } from 'node:fs';
import { dist } from './bundle/entries.mjs';
import { writePage } from './bundle/page-files.mjs';
import { writeCommonJs, writeModules } from './bundle/scripts.mjs';
import { writeTypes } from './bundle/types.mjs';

rmSync(dist, { recursive: true, force: true });
await writeModules();
await writeCommonJs();
writeTypes();
await writePage();
