import { existsSync } from 'node:fs';
import { describe } from 'vitest';
import { etcdBinary } from '../../fixtures/etcd/etcd-binary.ts';
import { goProgram } from './go-clients.ts';

const REMEDY = 'The Go program is not built. `npm run test:interop` builds it where there is a Go.';
const isBuilt = existsSync(goProgram);
if (!isBuilt) process.stderr.write(`${REMEDY}\n`);

/** `describe` for tests beside etcd's own Go packages: without what they need they are skipped, but not where the run decides about a merge. */
export const describeGo =
  (isBuilt && etcdBinary() !== undefined) || process.env['CI'] ? describe : describe.skip;
