import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { pageOf } from './page/page.ts';
import { recordText } from './record-text.ts';
import type { RunRecord } from './run-record.ts';

export const docs = new URL('docs/', import.meta.resolve('holdfast/package.json'));
const pictures = new URL('pictures/', docs);

/** Writes the page, its pictures and the figures that both were made of. Pictures of trials that are gone go too. */
export function writePage(record: RunRecord): void {
  const page = pageOf(record);
  for (const name of readdirSync(pictures)) {
    if (/^bench-.*\.svg$/.test(name)) rmSync(new URL(name, pictures));
  }
  for (const { file, svg } of page.pictures) writeFileSync(new URL(file, pictures), svg);
  writeFileSync(new URL('benchmarks.md', docs), page.markdown);
  writeFileSync(new URL('benchmarks.json', docs), recordText(record));
}
