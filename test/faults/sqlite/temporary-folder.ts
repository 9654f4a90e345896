import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that goes with the test. */
export class TemporaryFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'holdfast-sqlite-'));

  file(name = 'locks.db'): string {
    return join(this.path, name);
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
