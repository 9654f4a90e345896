import type { CommandSpec } from '../command-spec.ts';
import { COMMAND_SPECS } from '../spec.ts';

/** For bash 4 and newer, without the bash-completion package. */
export function bashCompletion(): string {
  const verbs: readonly CommandSpec[] = Object.values(COMMAND_SPECS);
  return `# Completion of holdfast for bash: source <(holdfast completion bash)
_holdfast() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} verb=\${COMP_WORDS[1]} at
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${verbs.map(({ name }) => name).join(' ')} --help --version' -- "$current"))
    return
  fi
  # After -- comes a command of the user's.
  for ((at = 2; at < COMP_CWORD; at++)); do
    if [[ \${COMP_WORDS[at]} == -- ]]; then
      if ((COMP_CWORD == at + 1)); then COMPREPLY=($(compgen -c -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
      return
    fi
  done
  case "$verb $before" in
${verbs.flatMap(choicesOf).join('\n')}
  esac
  case $verb in
${verbs.map((verb) => `    ${verb.name}) COMPREPLY=($(compgen -W '${wordsOf(verb)}' -- "$current")) ;;`).join('\n')}
  esac
}
complete -F _holdfast holdfast
`;
}

function choicesOf({ name, options }: CommandSpec): readonly string[] {
  return Object.entries(options).flatMap(([option, { type, short, choices = [] }]) => {
    if (type === 'boolean') return [];
    const patterns = [`'${name} --${option}'`, ...(short === undefined ? [] : [`'${name} -${short}'`])];
    return [
      `    ${patterns.join('|')}) COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`,
    ];
  });
}

function wordsOf({ options, words = [], actions = [], takesCommand }: CommandSpec): string {
  const names = Object.keys(options).map((option) => `--${option}`);
  return [...words, ...actions, ...names, ...(takesCommand !== undefined ? ['--'] : [])].join(' ');
}
