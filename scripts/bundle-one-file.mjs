// Writes .build/holdfast.mjs: `node scripts/bundle-one-file.mjs`, after the library was built. The command line as one file that Node
// runs alone, with clients for Redis, PostgreSQL and MySQL in it, for containers; see docs/cli.md.
import { writeOneFile } from './bundle/one-file.mjs';

await writeOneFile();
