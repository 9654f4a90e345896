import { type Kind, KINDS } from '../spi/kinds.ts';

/** Every kind, in the order in which the command line shows them. */
export const ALL_KINDS = Object.keys(KINDS) as readonly Kind[];

/** `fair-lock` for `fairLock`: the form of the command line. */
export function wordOf(kind: Kind): string {
  return kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The kind of a word, which the parser has checked. */
export function kindOfWord(word: string): Kind {
  return word.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase()) as Kind;
}
