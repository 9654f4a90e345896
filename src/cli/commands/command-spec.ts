/** One option of a verb, as data: parser, help and completion read it. */
export interface Option {
  readonly type: 'boolean' | 'string';
  readonly short?: string;
  /** The name of its value in the help. */
  readonly value?: string;
  /** All values that it may have. */
  readonly choices?: readonly string[];
  readonly help: string;
}

export interface Example {
  readonly line: string;
  readonly what: string;
}

/** A verb of the command line, as data. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  /** What follows the verb. */
  readonly synopsis: string;
  readonly options: Readonly<Record<string, Option>>;
  /** Whether a command follows `--`. */
  readonly takesCommand?: 'always' | 'maybe';
  /** How many words stand before the command, where one that lacks its `--` is to be found: 1 without it. */
  readonly wordsBeforeCommand?: number;
  /** All words that may follow, where they are fixed; empty where none may. */
  readonly words?: readonly string[];
  /** All words that may be the first, where names follow. */
  readonly actions?: readonly string[];
  readonly notes?: readonly string[];
  readonly examples: readonly Example[];
}
