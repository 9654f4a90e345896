import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pageOf } from '../../bench/page/page.ts';
import { recordText } from '../../bench/record-text.ts';
import type { RunRecord } from '../../bench/run-record.ts';
import { isWellFormed } from './bench-page/well-formed.ts';

const docs = new URL('../../docs/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, docs), 'utf8');
const text = read('benchmarks.json');
const record = JSON.parse(text) as RunRecord;
const { markdown, pictures } = pageOf(record);

test('the page is what the figures beside it give: no line was edited by hand', () => {
  expect(recordText(record)).toBe(text);
  expect(markdown).toBe(read('benchmarks.md'));
  const files = readdirSync(new URL('pictures/', docs)).filter((name) => name.startsWith('bench-'));
  expect(files.toSorted()).toEqual(pictures.map(({ file }) => file).toSorted());
  expect(pictures.filter(({ file, svg }) => svg !== read(`pictures/${file}`))).toEqual([]);
});

test('figures and pictures are small, and each picture is whole and told in words', () => {
  const told = /role="img".*\n<title id="title">.+<\/title>\n<desc id="desc">.+<\/desc>/;
  const bad = pictures.filter(({ svg }) => svg.length >= 15_000 || !isWellFormed(svg) || !told.test(svg));
  expect(bad).toEqual([]);
  expect(text.length).toBeLessThan(300_000);
});
