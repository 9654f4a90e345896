import type { Option, CommandSpec } from '../command-spec.ts';
import { COMMAND_SPECS } from '../spec.ts';

/** For fish. */
export function fishCompletion(): string {
  const verbs: readonly CommandSpec[] = Object.values(COMMAND_SPECS);
  return `# Completion of holdfast for fish: holdfast completion fish | source
function __holdfast_at_verb
  test (count (commandline -opc)) -eq 1
end
function __holdfast_in
  set -l words (commandline -opc)
  test (count $words) -gt 1; and test $words[2] = $argv[1]; and not contains -- -- $words
end
function __holdfast_at_command
  contains -- -- (commandline -opc)
end
complete -c holdfast -f
complete -c holdfast -n __holdfast_at_command -a '(__fish_complete_subcommand --fcs-skip=(contains -i -- -- (commandline -opc)))'
${verbs.map(({ name, summary }) => `complete -c holdfast -n __holdfast_at_verb -a ${name} -d ${quoted(summary)}`).join('\n')}
${verbs.flatMap(linesOf).join('\n')}
`;
}

function linesOf(verb: CommandSpec): readonly string[] {
  const condition = quoted(`__holdfast_in ${verb.name}`);
  const { words = [], actions = [] } = verb;
  const fixed = [...words, ...actions];
  const first =
    fixed.length === 0 ? [] : [`complete -c holdfast -n ${condition} -a ${quoted(fixed.join(' '))}`];
  const options = Object.entries(verb.options).map(
    ([name, option]) => `complete -c holdfast -n ${condition} -l ${name}${detailsOf(option)}`,
  );
  return [...first, ...options];
}

function detailsOf({ type, short, choices, help }: Option): string {
  return [
    short === undefined ? '' : ` -s ${short}`,
    type === 'boolean' ? '' : ' -x',
    choices === undefined ? '' : ` -a ${quoted(choices.join(' '))}`,
    ` -d ${quoted(help)}`,
  ].join('');
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
