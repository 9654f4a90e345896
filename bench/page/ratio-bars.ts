import type { Summary } from './summary.ts';
import { bar, line, svg, text } from './picture.ts';
import { plain, times } from './rounded.ts';
import { decades, decadesAround, logarithmic, type Scale } from './scales.ts';
import { wrapped } from './wrapped.ts';

const WIDTH = 820;
const TOP = 62;
const NAMES = 268;
const LEFT = 284;
const RIGHT = 524;
const VALUES = 600;
const TICKS = 6;
const ROW = 21;
const BAR = 13;
const LINE = 14;
const CHARACTERS = 38;
const OTHERS = 33;

export interface RatioRow {
  readonly name: string;
  /** The contestant that it is a ratio to. */
  readonly to: string;
  readonly ratio: Summary;
}

export interface RatioGroup {
  readonly name: string;
  readonly rows: readonly RatioRow[];
}

export interface RatioWords {
  readonly title: string;
  readonly behind: string;
  readonly ahead: string;
  readonly others: string;
  /** Whether a ratio below one is a defeat by another contestant, and not the distance to a floor. */
  readonly defeats: boolean;
}

/**
 * Ratios on a logarithmic scale: a bar begins at one, where neither is ahead, and half as good is as long as twice as good.
 */
export function ratioBars(words: RatioWords, groups: readonly RatioGroup[]): string {
  const all = groups.flatMap(({ rows }) => rows.map(({ ratio }) => ratio));
  const [least, most] = decadesAround([0.5, 2, ...all.flatMap(({ median, upper }) => [median, upper])]);
  const scale = logarithmic(least, most, LEFT, RIGHT);
  const parts: string[] = [];
  let y = TOP;
  for (const { name, rows } of groups) {
    parts.push(text(16, y + 15, 'b', name));
    y += ROW + 1;
    for (const row of rows) {
      const height = heightOf(row);
      parts.push(...rowParts(row, y + height / 2, scale, words.defeats));
      y += height;
    }
    y += 6;
  }
  const frame = [
    text(16, 26, 'b', words.title),
    text(scale(1) + 8, 26, 's', `${words.ahead} →`),
    ...(scale(1) - LEFT > 30 ? [text(scale(1) - 8, 26, 's e', `← ${words.behind}`)] : []),
    text(VALUES + 10, 26, 's', words.others),
    ...decades(least, most, TICKS).flatMap((value) => [
      line(value === 1 ? 'one' : 'g', scale(value), TOP - 8, scale(value), y),
      text(scale(value), TOP - 14, 's m', plain(value)),
    ]),
  ];
  const told = groups.flatMap((group) =>
    group.rows.map(({ name, to, ratio }) => `${group.name}, ${name}: ${times(ratio.median)} ${to}`),
  );
  return svg(words.title, `${told.join('; ')}.`, WIDTH, y + 8, [...frame, ...parts].join('\n'));
}

function heightOf({ name }: RatioRow): number {
  return ROW + (wrapped(name, CHARACTERS).length - 1) * LINE;
}

function rowParts({ name, to, ratio }: RatioRow, middle: number, scale: Scale, defeats: boolean): string[] {
  const isBehind = defeats && ratio.median < 1;
  const base = middle + 4.5;
  const lines = wrapped(name, CHARACTERS);
  const first = base - ((lines.length - 1) * LINE) / 2;
  const value = times(ratio.median);
  return [
    ...lines.map((words, at) => text(NAMES, first + at * LINE, 'e', words)),
    bar(isBehind ? 'behind' : 'ours', scale(1), scale(ratio.median), middle - BAR / 2, BAR),
    ...(ratio.rounds > 1 ? [line('w', scale(ratio.lower), middle, scale(ratio.upper), middle)] : []),
    text(VALUES, base, isBehind ? 'b e bt' : 'b e t', value),
    text(VALUES + 10, base, 's', shortened(to, OTHERS)),
  ];
}

/** The whole name is in the description and in the table below. */
function shortened(name: string, characters: number): string {
  const [first = '', ...more] = wrapped(name, characters);
  return more.length > 0 ? `${first.replace(/,$/, '')} …` : first;
}
