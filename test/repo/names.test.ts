import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { modulesUnder } from './module-names.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = ['src', 'page'].flatMap(modulesUnder).filter((path) => !path.endsWith('.generated.ts'));

/** `class X`, `interface X` and `type X =`, exported or not; `type X` alone is part of an import. */
const DECLARED =
  /^\s*(?:export )?(?:declare )?(?:abstract )?(?:(?:class|interface) (\w+)|type (\w+)(?=<|\s*=))/gm;

/**
 * A function or method whose declared result is nothing. It can only be called for its effect, so that a name that states a result
 * hides what it does.
 */
const WITHOUT_RESULT =
  /^ *(?:export )?(?:(?:readonly|async|static|override|const|function) )*(#?[a-z]\w*)(?:<[^>\n]*>)?(?: = (?:async )?)?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\): (?:void|Promise<void>) (?:\{|=>)/gm;

/** Participles that do not end in -ed. */
const IRREGULAR =
  /^(?:heard|told|sent|held|kept|given|taken|lost|gone|broken|said|seen|done|made|begun|known|found|left|shown|had|got|met|won|been|beaten|written|chosen|drawn|thrown|woken|spoken|hidden|paid|led|felt|thought|brought|caught|stood|spent)$/;
const VERBS_IN_ED = /^(?:need|feed|seed|embed|speed|proceed)$/;

function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function isParticiple(name: string): boolean {
  const first = /^#?([a-z]+)/.exec(name)?.[1] ?? '';
  return IRREGULAR.test(first) || (first.endsWith('ed') && !VERBS_IN_ED.test(first));
}

test('no name of a type is declared in two files', () => {
  const places = new Map<string, Set<string>>();
  for (const path of files) {
    for (const [, declared, alias] of textOf(path).matchAll(DECLARED)) {
      const name = declared ?? alias!;
      places.set(name, (places.get(name) ?? new Set()).add(path));
    }
  }
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([, found]) => found.size > 1).map(([name, found]) => [name, ...found])).toEqual(
    [],
  );
});

test('a function without a result is named by what it does, not by what came of it', () => {
  const named = files.flatMap((path) =>
    [...textOf(path).matchAll(WITHOUT_RESULT)].map(([, name = '']) => ({ path, name })),
  );
  expect(named.length).toBeGreaterThan(150);
  expect(named.filter(({ name }) => isParticiple(name)).map(({ path, name }) => `${path}: ${name}`)).toEqual(
    [],
  );
});
