import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { measure } from 'holdfast/prometheus';
import { beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { act, family } from './stage.ts';

/** The labels of each metric that a process with all kinds of trouble shows. */
let known: ReadonlyMap<string, ReadonlySet<string>>;

const read = (file: string): string =>
  readFileSync(new URL(`../../docs/grafana/${file}`, import.meta.url), 'utf8');

beforeAll(async () => {
  const register = new Registry();
  const metrics = measure({ register, nameOf: family });
  const clock = new VirtualClock();
  await clock.run(() => act(clock, async () => void (await register.metrics())));
  metrics.countRefusal({ kind: 'lock', name: 'orders:7', engine: 'stage' });
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', list = ''] of (await register.metrics()).matchAll(/^(\w+)\{([^}]*)\}/gm)) {
    const seen = labels.get(name) ?? new Set<string>();
    for (const [, label = ''] of list.matchAll(/(\w+)="/g)) seen.add(label);
    labels.set(name, seen);
  }
  metrics.stop();
  known = labels;
});

/** The metrics that a query names, each with the labels that are asked of it. */
function namedIn(query: string): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  const found = query.replaceAll(/\bby \([^)]*\)/g, '').matchAll(/\b(holdfast_\w+)(?:\{([^}]*)\})?/g);
  return [...found].map(([, metric = '', selector = '']) => ({
    metric,
    labels: [...grouped, ...[...selector.matchAll(/(\w+)(?:=~|!=|!~|=)/g)].map(([, label = '']) => label)],
  }));
}

function unknownIn(queries: readonly string[]): readonly string[] {
  return queries.flatMap(namedIn).flatMap(({ metric, labels }) => {
    const its = known.get(metric);
    if (its === undefined) return [metric];
    return labels.filter((label) => !its.has(label)).map((label) => `${label} of ${metric}`);
  });
}

test('every query of the dashboard names a metric that exists, with labels that it has', () => {
  const { panels, templating } = JSON.parse(read('holdfast.json')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
    readonly templating: { readonly list: readonly { readonly definition?: string }[] };
  };
  const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(10);
  expect(unknownIn(queries)).toEqual([]);
  const variables = templating.list.flatMap(({ definition = '' }) => [
    ...definition.matchAll(/label_values\((\w+), (\w+)\)/g),
  ]);
  expect(variables).toHaveLength(2);
  for (const [, metric = '', label = ''] of variables)
    expect(known.get(metric)?.has(label), `${label} of ${metric}`).toBe(true);
});

test('every alert asks for metrics that exist, and its text for labels that the query keeps', () => {
  const { groups } = parse(read('alerts.yml')) as {
    readonly groups: readonly {
      readonly rules: readonly {
        readonly expr: string;
        readonly annotations: { readonly summary: string };
      }[];
    }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(4);
  expect(unknownIn(rules.map(({ expr }) => expr))).toEqual([]);
  for (const { expr, annotations } of rules) {
    const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(/, */) ?? [];
    for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) expect(kept).toContain(label);
  }
});

test('every metric is shown on the dashboard', () => {
  const shown = read('holdfast.json');
  const bases = new Set([...known.keys()].map((name) => name.replace(/_(?:bucket|sum|count)$/, '')));
  expect([...bases].filter((name) => !shown.includes(name))).toEqual([]);
});

test('a query with a name that does not exist is found', () => {
  expect(unknownIn(['sum(holdfast_lots_total)', 'rate(holdfast_holds{owner="a"}[1m])'])).toEqual([
    'holdfast_lots_total',
    'owner of holdfast_holds',
  ]);
});
