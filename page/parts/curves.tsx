import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import { points } from '../live/board-state.ts';
import type { Point } from '../live/curves.ts';

const HEIGHT = 120;
const dark = matchMedia('(prefers-color-scheme: dark)');

interface CurveOptions {
  readonly label: string;
  readonly color: string;
  readonly of: (point: Point) => number;
}

/** How much is held and waited for, and how often that changes, since the page was opened. */
export function Curves() {
  return (
    <div class="curves">
      <Chart
        title="Held and waiting"
        curves={[
          { label: 'held', color: '--held', of: ({ held }) => held },
          { label: 'waiting', color: '--waiting', of: ({ waiting }) => waiting },
        ]}
      />
      <Chart
        title="Grants and leases that ran out, each second"
        curves={[
          { label: 'grants seen', color: '--held', of: ({ grants }) => grants },
          { label: 'ran out', color: '--loss', of: ({ losses }) => losses },
        ]}
      />
    </div>
  );
}

function Chart({ title, curves }: { title: string; curves: readonly CurveOptions[] }) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot>(undefined);
  const all = points.value;
  const data = (): UPlot.AlignedData => [
    all.map(({ at }) => at),
    ...curves.map(({ of }) => all.map((point) => of(point))),
  ];

  useLayoutEffect(() => {
    const element = place.current!;
    const draw = (): void => {
      chart.current?.destroy();
      chart.current = new UPlot(optionsOf(curves, element.clientWidth), data(), element);
    };
    // It draws its colours into a canvas, which no style changes.
    dark.addEventListener('change', draw);
    const resized = new ResizeObserver(() =>
      chart.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    draw();
    resized.observe(element);
    return () => {
      dark.removeEventListener('change', draw);
      resized.disconnect();
      chart.current?.destroy();
    };
  }, []);
  useEffect(() => chart.current?.setData(data()), [all]);

  const latest = all.at(-1);
  const text = curves.map(({ label, of }) => `${label} ${latest === undefined ? 0 : of(latest)}`).join(', ');
  return (
    <figure role="img" aria-label={`${title}: ${text}`}>
      <figcaption aria-hidden="true">
        {curves.map(({ label, color, of }) => (
          <span key={label} class={`key ${color.slice(2)}`}>
            {label} <b>{latest === undefined ? 0 : of(latest)}</b>
          </span>
        ))}
      </figcaption>
      <div class="plot" ref={place} aria-hidden="true" />
    </figure>
  );
}

function optionsOf(curves: readonly CurveOptions[], width: number): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  // A custom property has the text of `light-dark()`, and not the colour: an element that uses it knows.
  const colorOf = (name: string): string => {
    const probe = document.body.appendChild(document.createElement('span'));
    probe.style.color = `var(${name})`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const line = { stroke: colorOf('--line'), width: 1 };
  const text = { stroke: colorOf('--quiet'), font: `11px ${style.fontFamily}` };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.1)] } },
    axes: [
      {
        ...text,
        grid: { show: false },
        ticks: { show: false },
        size: 24,
        space: 80,
        // Never less than a second: two marks would have one text.
        incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600],
        values: (_plot, splits) => splits.map((at) => new Date(at * 1000).toLocaleTimeString('en-GB')),
      },
      {
        ...text,
        grid: line,
        ticks: { show: false },
        size: 44,
        space: 28,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000],
      },
    ],
    series: [
      {},
      ...curves.map(({ label, color }) => ({
        label,
        stroke: colorOf(color),
        width: 1.5,
        points: { show: false },
      })),
    ],
  };
}
