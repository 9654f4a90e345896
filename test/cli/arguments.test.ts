import { expect, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';
import { UsageError } from '../../src/cli/usage-error.ts';

// `holdfast doctor redis://cache` examined the file of this machine, and found it well.
test.each([COMMAND_SPECS.doctor, COMMAND_SPECS.bench])(
  '$name refuses an operand, and does not repeat it',
  (spec) => {
    const url = 'redis://:secret@cache:6379';
    expect(() => readArguments(spec, [url])).toThrow(UsageError);
    expect(() => readArguments(spec, [url])).toThrow(/^\w+ takes options only\. .*--url/);
    expect(() => readArguments(spec, [url])).not.toThrow(/secret/);
    expect(readArguments(spec, ['--url', url]).kind).toBe('given');
  },
);
