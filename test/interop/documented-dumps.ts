import { readFileSync } from 'node:fs';
import type { RedisServer } from '../fixtures/redis/redis-server.ts';
import { dumpOf, normalised } from './dump.ts';

const BLOCK = /^```text\n# (.+)\n([^]*?)^```$/gm;

/** A page of docs/wire, and what a server shows instead. Both without ids and times, so that they can be compared. */
export class DocumentedDumps {
  readonly #dumps: ReadonlyMap<string, string>;

  constructor(page: string) {
    const text = readFileSync(new URL(`../../docs/wire/${page}`, import.meta.url), 'utf8');
    this.#dumps = new Map(
      [...text.matchAll(BLOCK)].map(([, title = '', dump = '']) => [title, dump.trimEnd()]),
    );
  }

  /** What the page shows under this title. */
  documented(title: string): string {
    return normalised(this.#dumps.get(title) ?? 'nothing under this title');
  }

  async dumped(title: string, server: RedisServer): Promise<string> {
    return shown(title, await dumpOf(server));
  }

  /** Messages are shown as lines of their own. */
  told(title: string, lines: readonly string[]): string {
    return shown(title, lines.join('\n'));
  }
}

/** For the author of the page: `HOLDFAST_SHOW_DUMPS=1` prints what to put there. */
function shown(title: string, dump: string): string {
  if (process.env['HOLDFAST_SHOW_DUMPS']) process.stdout.write(`\`\`\`text\n# ${title}\n${dump}\n\`\`\`\n`);
  return normalised(dump);
}
