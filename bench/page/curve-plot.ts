import type { SeriesRecord, TrialRecord } from '../run-record.ts';
import type { Curve } from '../trial.ts';
import { apart } from './apart.ts';
import { kindOf } from './kind.ts';
import { figureOf } from './summary.ts';
import { line, pixel, svg, text } from './picture.ts';
import { plain, rounded } from './rounded.ts';
import { decades, decadesAround, logarithmic, type Scale } from './scales.ts';

const WIDTH = 820;
const LEFT = 76;
const RIGHT = WIDTH - 296;
const TOP = 52;
const LEAST_BOTTOM = 328;
const BELOW = 52;
const TICKS = 8;
const LABELS = RIGHT + 26;
const GAP = 17;

/** The colours of the other contestants, on light and on dark. Each has a name at its end: the colour only helps the eye to follow. */
const COLOURS = ['#d17b00', '#009e73', '#c6558f', '#8a6d3b', '#7a70c9', '#d55e00', '#5f9ea0', '#888888'];
const OURS = ['#1f86cc', '#5aa9de', '#0b5f9c', '#86bfe8'];

interface Line {
  readonly name: string;
  readonly isOurs: boolean;
  readonly colour: string;
  readonly dashed: boolean;
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

/** What grows and what does not, both axes logarithmic: a straight line is a power, a level line is no growth. */
export function curvePlot(trial: TrialRecord, curve: Curve): string | undefined {
  const lines = linesOf(trial, curve);
  if (lines.length === 0) return undefined;
  const [least, most] = decadesAround(lines.flatMap(({ points }) => points.map(({ value }) => value)));
  const sizes = curve.points.map(({ at }) => at);
  const x = logarithmic(Math.min(...sizes), Math.max(...sizes, Math.min(...sizes) * 10), LEFT + 8, RIGHT - 8);
  // As high as the names need, however many there are.
  const bottom = Math.max(LEAST_BOTTOM, TOP + GAP * (lines.length - 1));
  const y = logarithmic(least, most, bottom, TOP);
  const body = [
    ...axes(curve, x, y, decades(least, most, TICKS), bottom),
    ...lines.map((each) => drawn(each, x, y)),
  ];
  body.push(...labels(lines, x, y, bottom));
  const told = lines.map(({ name, points }) => `${name}: ${points.map(pointTold).join(', ')}`);
  const described = `${curve.title} against ${curve.axis}, both logarithmic. ${told.join('; ')}.`;
  return svg(
    `${trial.name} (${trial.engine}): ${curve.title}`,
    described,
    WIDTH,
    bottom + BELOW,
    body.join('\n'),
  );
}

function linesOf({ series, story }: TrialRecord, curve: Curve): Line[] {
  let ours = 0;
  let others = 0;
  return series.flatMap((each) => {
    const points = pointsOf(each, curve);
    if (points.length === 0) return [];
    const kind = kindOf(each.contestant, story);
    const isOurs = kind === 'ours';
    const colour = isOurs ? OURS[ours++ % OURS.length] : COLOURS[others++ % COLOURS.length];
    return [{ name: each.contestant, isOurs, colour: colour ?? '', dashed: kind === 'floor', points }];
  });
}

function pointsOf(series: SeriesRecord, { points }: Curve): { at: number; value: number }[] {
  return points.flatMap(({ at, figure }) => {
    const summary = figureOf(series, figure);
    return summary === undefined ? [] : [{ at, value: summary.median }];
  });
}

function axes(curve: Curve, x: Scale, y: Scale, values: readonly number[], bottom: number): string[] {
  return [
    text(16, 26, 'b', curve.title),
    ...values.flatMap((value) => [
      line('g', LEFT, y(value), RIGHT, y(value)),
      text(LEFT - 8, y(value) + 4, 's e', plain(value)),
    ]),
    ...curve.points.flatMap(({ at }) => [
      line('g', x(at), TOP, x(at), bottom),
      text(x(at), bottom + 18, 's m', plain(at)),
    ]),
    text((LEFT + RIGHT) / 2, bottom + 38, 's m', curve.axis),
  ];
}

/** What is nothing has no place on a logarithmic scale: it stands on the lower edge, as a ring. */
function drawn({ points, colour, dashed, isOurs }: Line, x: Scale, y: Scale): string {
  const path = points.map(({ at, value }) => `${pixel(x(at))} ${pixel(y(value))}`).join('L');
  const dash = dashed ? ' stroke-dasharray="5 4"' : '';
  const dots = points.map(({ at, value }) => {
    const fill = value > 0 ? colour : 'none';
    return `<circle cx="${pixel(x(at))}" cy="${pixel(y(value))}" r="${isOurs ? 4 : 3}" fill="${fill}"/>`;
  });
  return `<g stroke="${colour}" stroke-width="${isOurs ? 3 : 1.8}" fill="none"><path d="M${path}"${dash}/>${dots.join('')}</g>`;
}

function labels(lines: readonly Line[], x: Scale, y: Scale, bottom: number): string[] {
  const ends = lines.map(({ points }) => points.at(-1) ?? { at: 1, value: 1 });
  const heights = apart(
    ends.map(({ value }) => y(value)),
    GAP,
    TOP,
    bottom,
  );
  return lines.flatMap(({ name, colour, isOurs }, index) => {
    const end = ends[index] ?? { at: 1, value: 1 };
    const height = heights[index] ?? 0;
    const leader = `M${pixel(x(end.at) + 6)} ${pixel(y(end.value))}L${pixel(LABELS - 4)} ${pixel(height)}`;
    return [
      `<path d="${leader}" stroke="${colour}" fill="none" stroke-dasharray="1 3"/>`,
      text(LABELS, height + 4, isOurs ? 'l b t' : 'l', name),
    ];
  });
}

function pointTold({ at, value }: { readonly at: number; readonly value: number }): string {
  return `${rounded(value)} at ${plain(at)}`;
}
