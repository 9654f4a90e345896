import { expect, test } from 'vitest';
import { sentText } from '../../scripts/lua/sent-text.mjs';
import { expressionOf, sharedRuns } from '../../scripts/lua/shared-runs.mjs';
import * as generated from '../../src/engines/redis/scripts.generated.ts';
import type { ScriptCall } from '../../src/engines/redis/requests/script.ts';
import { scriptSources, shaOf } from '../model/script-sources.ts';

test('a script is sent without comments, each line in its place', () => {
  const source = "#!lua flags=no-writes\n-- What it does.\nif a then\n  -- Why.\n  return '--'\nend\n";
  expect(sentText(source)).toBe("#!lua flags=no-writes\n\nif a then\n\nreturn '--'\nend\n");
});

test('no script has a text or a comment over several lines, nor a comment behind code: none would be sent as it is', () => {
  for (const { name, source, sent } of scriptSources) {
    expect(source, name).not.toMatch(/\[=*\[|\\\n|\\z/);
    expect(sent, name).not.toMatch(/--(?!')/);
    expect(sent.split('\n').length, name).toBe(source.split('\n').length);
  }
});

test('lines that several scripts have are in the package once', () => {
  const same = ['if a then', `return '${'a'.repeat(120)}'`, 'end'];
  const { texts, runs } = sharedRuns([['one', ...same].join('\n'), [...same, 'two'].join('\n')]);
  expect(runs).toEqual([same]);
  expect(texts.map(expressionOf)).toEqual(['"one\\n" + shared0', 'shared0 + "\\ntwo"']);
});

test('every script is sent as its file has it, under the digest of what is sent', () => {
  // Whatever a script takes: a list is as good as a text.
  const anything = new Proxy({}, { get: () => ['1'] });
  const calls = Object.values(generated) as readonly ((keys: object, args: object) => ScriptCall)[];
  const sent = calls.map((call) => call(anything, anything));
  expect(sent.map(({ source }) => source).toSorted()).toEqual(
    scriptSources.map((one) => one.sent).toSorted(),
  );
  expect(sent.map(({ command }) => command[1])).toEqual(sent.map(({ source }) => shaOf(source)));
});
