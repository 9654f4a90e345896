import { expect, test } from 'vitest';
import { actionError } from '../../src/cli/action-error.ts';
import { readArguments } from '../../src/cli/arguments.ts';
import { closest } from '../../src/cli/closest.ts';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { Workplace } from './workplace.ts';

const { run, list, release } = COMMAND_SPECS;

test.each([
  [['job', './report.sh'], 'holdfast run job -- ./report.sh'],
  [['job', './report.sh', '--fast', '2'], 'holdfast run job -- ./report.sh --fast 2'],
  [['-n', 'job', '-w', '5s', 'echo', "it's", ''], `holdfast run -n job -w 5s -- echo 'it'\\''s' ''`],
  [['--url', 'redis://:se%40cret@h', 'job', 'true'], `holdfast run --url 'redis://:***@h' job -- true`],
  [['--url=redis://:secret@h', 'job', 'true'], `holdfast run '--url=redis://:***@h' job -- true`],
])('a command without "--" is shown the corrected line: %j', (argv, line) => {
  expect(() => readArguments(run, argv)).toThrow(line);
  expect(() => readArguments(run, argv)).not.toThrow(/secret|cret@/);
});

test('a misspelt option of ours is no command, and is shown the right one', () => {
  expect(() => readArguments(run, ['job', '--wiat', '5s', 'true'])).toThrow(
    /^run has no option --wiat\. Did you mean --wait\?$/,
  );
  expect(() => readArguments(list, ['--jsn'])).toThrow(/^list has no option --jsn\. Did you mean --json\?$/);
  expect(() => readArguments(list, ['--owner', 'x'])).toThrow(/^list has no option --owner\.$/);
});

test.each([
  [['x', '--fence'], 'release: --fence needs a value: --fence N.'],
  [
    ['x', '--fence', '--yes'],
    'release: --fence needs a value: --fence N. A value that begins with "-" is written --fence=N.',
  ],
  [['x', '--yes=1'], 'release: --yes takes no value.'],
])('an option without its value, or with one too many, is shown how it is written: %j', (argv, message) => {
  expect(() => readArguments(release, argv)).toThrow(new UsageError(message));
});

test('a short option without its value, too', () => {
  expect(() => readArguments(run, ['x', '-w'])).toThrow(/^run: --wait needs a value: --wait TIME\.$/);
  expect(() => readArguments(run, ['x', '-w', '-n'])).toThrow(
    /^run: -w needs a value: -w TIME\. .* --wait=TIME\.$/,
  );
});

test.each([
  [[], /^latch needs one of set, count-down, count, await, and a name\.$/],
  [['cuont', 'x'], /"cuont" is no action\. Did you mean count\?$/],
  [['count-dwn', 'x'], /"count-dwn" is no action\. Did you mean count-down\?$/],
  [['build-42'], /"build-42" is no action\.$/],
])('a verb without one of its actions is shown them, and the one that was meant: %j', (words, message) => {
  const { message: said } = actionError('latch', words, ['set', 'count-down', 'count', 'await']);
  expect(said).toMatch(message);
});

test.each([
  ['lst', 'list'],
  ['insepct', 'inspect'],
  ['rel', 'release'],
  ['comp', 'completion'],
  ['wath', 'watch'],
  ['frobnicate', undefined],
  ['w', undefined],
])('"%s" is close to %s', (word, meant) => {
  expect(closest(word, Object.keys(COMMAND_SPECS))).toBe(meant);
});

test('a verb that is not there is shown the one that was meant, and its help is named', async () => {
  await using place = new Workplace();
  const [verb, option, help] = await Promise.all([
    place.run(['lsit']),
    place.run(['list', '--jsno']),
    place.run(['help', 'lsit']),
  ]);
  expect([verb.code, verb.stderr]).toEqual([64, expect.stringContaining('Did you mean list?')]);
  expect([option.code, option.stderr]).toEqual([64, expect.stringContaining('holdfast list --help shows')]);
  expect([help.code, help.stderr]).toEqual([64, expect.stringContaining('Did you mean list?')]);
});
