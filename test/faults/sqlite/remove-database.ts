import { rmSync } from 'node:fs';

/** Also while it is open. */
export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}
