import { describe, expect, test } from 'vitest';
import { commandOf } from '../../bench/command.ts';
import { curvePlot } from '../../bench/page/curve-plot.ts';
import { pageOf } from '../../bench/page/page.ts';
import { recordText } from '../../bench/record-text.ts';
import type { RunRecord } from '../../bench/run-record.ts';
import { recordOf, steady, trialOf } from './bench-page/record.ts';
import { isWellFormed } from './bench-page/well-formed.ts';

test('the record is read back as it was, with a line for each list of numbers', () => {
  const record = recordOf(trialOf({ 'holdfast (c)': { 'pairs/s': [1, null, 3.5] } }, { curves: [] }));
  expect(JSON.parse(recordText(record))).toEqual(record);
  expect(recordText(record)).toContain('"pairs/s": [1, null, 3.5]\n');
});

describe('the page', () => {
  const kept = { text: 'one', actual: 2, least: 1, most: 3, bound: { atLeast: 1 }, kept: true } as const;
  const broken = { text: 'two', actual: 9, least: 8, most: 10, bound: { atMost: 5 }, kept: false } as const;
  const all = { 'holdfast (c)': steady(100), 'bare (c)': steady(150), 'a peer': steady(400) };
  const record = recordOf(trialOf(all, { verdicts: [kept, broken] }));
  const { markdown, pictures } = pageOf(record);
  const top = markdown.slice(0, markdown.indexOf('\n## Redis'));

  test('is the same for the same record, whenever it is made', () => {
    expect(pageOf(JSON.parse(recordText(record)) as RunRecord)).toEqual({ markdown, pictures });
  });

  test('tells at the top which promise was not kept, and where a peer wins', () => {
    expect(top).toContain('Of 2 promises (`npm run bench:gate`) 1 were kept. **These were not:**');
    expect(top).toContain(
      '- [Redis, pairs](#redis-pairs): two: at most 5, and was 9.00 (8.00 to 10.0 over the rounds): **not kept**',
    );
    expect(top).toContain('Ahead of the fastest peer in 0 of 1 scenarios. **A peer wins here:**');
    expect(top).toContain('- [Redis, pairs](#redis-pairs): a peer is ahead, Holdfast is at 0.250 ×');
    expect(markdown).toContain('<a id="redis-pairs"></a>');
  });

  test('shows every contestant with the median, the spread, and the ratio of ours to it', () => {
    const rows = markdown.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.map((row) => row.replaceAll(/ +/g, ' '))).toEqual([
      '| | pairs/s | middle half | ours to it | to the floor |',
      expect.stringMatching(/^\| -+ \| -+: \|/),
      '| a peer | 400 | 400 to 400 | 0.250 × | 2.67 × |',
      '| _bare (c)_ | 150 | 150 to 150 | 0.667 × | |',
      '| **holdfast (c)** | 100 | 100 to 100 | | 0.667 × |',
    ]);
  });

  test('says on what, how fast and under which load it was measured, and how to see it again', () => {
    expect(top).toContain('2026-02-03 on 2 cores of A Processor with Node 20.19.0');
    expect(top).toContain('**A quick run**');
    expect(top).not.toContain('**A busy machine**');
    const busy = pageOf(recordOf(trialOf(all, { load: [2.5, 3] }))).markdown;
    expect(busy).toContain('**A busy machine**: before the first round the load average was 2.5 on 2 cores.');
    expect(markdown).toContain(
      '3 rounds of 500 ms for each after 1 to warm up. Load average 0.50 before, 1.25 after.',
    );
    expect(markdown).toContain("npm run bench -- --engine redis --scenario 'pairs' --quick\n");
    expect(markdown).toContain('- libraries: peer\\_one 1.0.0');
    expect(pageOf({ ...record, speed: 'full' }).markdown).not.toContain('quick');
  });

  test('says what was left out', () => {
    const partial = {
      ...recordOf(trialOf(all, { leftOut: ['one_peer', 'another'] })),
      leftOut: [{ name: 'long', engine: 'mysql', why: 'because it takes a minute' }],
    };
    const page = pageOf(partial).markdown;
    expect(page).toContain('and no more. Not measured: long (MariaDB), because it takes a minute.');
    expect(page).toContain('1.25 after. Not measured in this run: one\\_peer; another.');
  });

  test('names every picture that it shows, and shows every picture', () => {
    const shown = [...markdown.matchAll(/\(pictures\/([^)]+)\)/g)].map(([, file]) => file);
    expect(shown).toEqual(['bench-peers.svg', 'bench-floors.svg', 'bench-redis-pairs.svg']);
    expect(pictures.map(({ file }) => file)).toEqual(shown);
  });

  test('lets no name become markup', () => {
    const name = 'a|b <i>"x"</i> & *y*';
    const page = pageOf(recordOf(trialOf({ 'holdfast (c)': steady(1), [name]: steady(2) }, { name })));
    expect(page.markdown).toContain('| a\\|b \\<i\\>"x"\\</i\\> & \\*y\\* ');
    for (const { svg } of page.pictures) {
      expect(svg).toContain('&lt;i&gt;&quot;x&quot;&lt;/i&gt; &amp;');
      expect(isWellFormed(svg)).toBe(true);
    }
    expect(commandOf(trialOf({}, { name: "it's" }), 'full')).toContain(`--scenario 'it'\\''s'`);
  });

  test('goes without those who were not measured', () => {
    const alone = pageOf(recordOf(trialOf({ 'holdfast (c)': { ...steady(7), rare: [null, null, null] } })));
    expect(alone.pictures).toEqual([]);
    expect(alone.markdown).toContain('Ahead of the fastest peer in 0 of 0 scenarios.');
    expect(alone.markdown).toContain('| **holdfast (c)** |');
    expect(pageOf(recordOf(trialOf({}))).markdown).toContain('### pairs');
    expect(pageOf(recordOf()).pictures).toEqual([]);
  });
});

describe('a curve', () => {
  const curve = {
    title: 'sections/s',
    axis: 'waiters',
    points: [1, 10, 100].map((at) => ({ at, figure: `at ${at}` })),
  };
  const growing = (...medians: number[]) =>
    Object.fromEntries(medians.map((value, step) => [`at ${10 ** step}`, [value]]));

  test('goes through the points that there are, and has a table of them', () => {
    const trial = trialOf(
      { 'holdfast (c)': growing(5, 50, 500), peer: growing(3, 0), absent: steady(1) },
      { curves: [curve] },
    );
    const { markdown, pictures } = pageOf(recordOf(trial));
    const plot = pictures.find(({ file }) => file === 'bench-redis-pairs-curve-1.svg')?.svg ?? '';
    expect(isWellFormed(plot)).toBe(true);
    expect(plot).toContain('holdfast (c): 5.00 at 1, 50.0 at 10, 500 at 100; peer: 3.00 at 1, 0 at 10.');
    expect(plot.match(/<circle/g)).toHaveLength(5);
    expect(plot).not.toContain('absent');
    const onCurve = { ...trial, story: { ...trial.story, figure: 'at 10' } };
    const drawn = pageOf(recordOf(onCurve)).pictures.map(({ file }) => file);
    expect(drawn).toEqual(['bench-peers.svg', 'bench-redis-pairs-curve-1.svg']);
    expect(markdown.replaceAll(/ +/g, ' ')).toContain('| peer | 3.00 | 0 | |');
  });

  test('of many who end at the same height has names that do not cover each other', () => {
    const names = Array.from({ length: 25 }, (_, at) => `peer ${at}`);
    const trial = trialOf(Object.fromEntries(names.map((name) => [name, growing(1, 10, 100)])));
    const plot = curvePlot(trial, curve) ?? '';
    const heights = names.map((name) =>
      Number(new RegExp(`y="([\\d.]+)" class="l">${name}<`).exec(plot)?.[1]),
    );
    const sorted = heights.toSorted((a, b) => a - b);
    expect(sorted.every((y, at) => at === 0 || y - (sorted[at - 1] ?? 0) >= 16.9)).toBe(true);
  });

  test('of no contestant is not drawn', () => {
    expect(curvePlot(trialOf({ peer: steady(1) }), curve)).toBeUndefined();
  });
});
