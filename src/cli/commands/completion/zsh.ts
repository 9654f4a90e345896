import type { Option, CommandSpec } from '../command-spec.ts';
import { COMMAND_SPECS } from '../spec.ts';

/** For zsh, after compinit. */
export function zshCompletion(): string {
  const verbs: readonly CommandSpec[] = Object.values(COMMAND_SPECS);
  return `#compdef holdfast
# Completion of holdfast for zsh: source <(holdfast completion zsh), behind compinit
_holdfast() {
  local -a verbs
  verbs=(
${verbs.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`).join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe -t commands verb verbs
    return
  fi
  case $words[2] in
${verbs.map(caseOf).join('\n')}
  esac
}
if [[ $funcstack[1] == _holdfast ]]; then _holdfast "$@"; else compdef _holdfast holdfast; fi
`;
}

function caseOf(verb: CommandSpec): string {
  const options = Object.entries(verb.options).flatMap(([name, option]) => specsOf(name, option));
  const rest = verb.takesCommand !== undefined ? ["'*::command: _normal'"] : restOf(verb);
  const specs = [...options, ...rest].map((spec) => `        ${spec}`).join(' \\\n');
  return `    ${verb.name})\n      shift words; ((CURRENT--))\n      _arguments -S \\\n${specs}\n      ;;`;
}

function restOf({ words, actions }: CommandSpec): readonly string[] {
  if (actions !== undefined) return [quoted(`1:what:(${actions.join(' ')})`), "'*:name: '"];
  if (words === undefined) return ["'*:name: '"];
  return words.length === 0 ? [] : [quoted(`1:what:(${words.join(' ')})`)];
}

function specsOf(name: string, { type, short, value = 'value', choices, help }: Option): readonly string[] {
  const about = help.replaceAll(/[[\]:]/g, (letter) => `\\${letter}`);
  const argument =
    type === 'boolean' ? '' : `:${value}:${choices === undefined ? ' ' : `(${choices.join(' ')})`}`;
  const long = quoted(`--${name}[${about}]${argument}`);
  return short === undefined ? [long] : [long, quoted(`-${short}[${about}]${argument}`)];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
