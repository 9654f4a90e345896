import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** What the command line asks for. */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      law: { type: 'string' },
      in: { type: 'string', default: '' },
      what: { type: 'string', default: '' },
      from: { type: 'string', default: '1' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      narrow: { type: 'boolean', default: false },
      'only-failed': { type: 'boolean', default: false },
    },
  });
  return {
    ...values,
    from: wholeNumber('--from', values.from),
    jobs: wholeNumber('--jobs', values.jobs),
    onlyFailed: values['only-failed'],
  };
}

/**
 * @param {string} option
 * @param {string} text
 */
function wholeNumber(option, text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new RangeError(`${option} is a whole number from 1 on, not ${text}`);
  return number;
}
