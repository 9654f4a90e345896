import { format } from 'node:util';
import { vi } from 'vitest';

/** Imports a module, and returns what it printed with `console.log`. */
export async function printedLines(file: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void lines.push(format(...words)));
  try {
    await import(file);
  } finally {
    log.mockRestore();
  }
  return lines;
}
