import type { CommandSpec } from './command-spec.ts';
import { COMMAND_SPECS } from './spec.ts';

const WIDTH = 100;
const INDENT = 28;

/** The help without a verb. */
export function overview(): string {
  const verbs = Object.values(COMMAND_SPECS).map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`);
  return [
    'holdfast: locks for all processes of a machine, or of a fleet',
    '',
    'Usage: holdfast VERB [options]',
    '',
    ...verbs,
    '',
    'holdfast VERB --help says more, with examples. holdfast --version prints the version.',
    'Without --url or HOLDFAST_URL the locks are in a file of this user, on this machine.',
    '',
    'Example: holdfast run nightly-report -- ./report.sh',
  ].join('\n');
}

/** The help of one verb. */
export function helpOf(verb: CommandSpec): string {
  const options = Object.entries(verb.options).map(([name, { short, value, help }]) => {
    const names = `${short === undefined ? '    ' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
    return optionLines(names, help);
  });
  const examples = verb.examples.map(({ line, what }) => `  ${line}\n      ${what}`);
  const { notes = [] } = verb;
  return [
    `holdfast ${verb.name}: ${verb.summary}`,
    '',
    `Usage: holdfast ${verb.name} ${verb.synopsis}`.trimEnd(),
    '',
    ...options,
    ...(notes.length === 0 ? [] : ['', ...notes]),
    '',
    'Examples:',
    ...examples,
  ].join('\n');
}

function optionLines(names: string, help: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of help.split(' ')) {
    if (line !== '' && INDENT + line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  lines.push(line);
  const [first = '', ...rest] = lines;
  const head = `  ${names}`;
  // A name that leaves no room has a line of its own.
  const start = head.length + 2 <= INDENT ? head.padEnd(INDENT) : `${head}\n${' '.repeat(INDENT)}`;
  return [`${start}${first}`, ...rest.map((one) => ' '.repeat(INDENT) + one)].join('\n');
}
