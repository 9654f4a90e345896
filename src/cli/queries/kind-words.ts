import type { Kind } from '../../spi/engine/inspector.ts';
import { KIND_WORDS } from '../commands/specs/common-options.ts';

/** `fair-lock` for `fairLock`: the form of the command line. */
export function wordOf(kind: Kind): string {
  return kind.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The kind of a word, which the parser has checked. */
export function kindOfWord(word: string): Kind {
  return word.replace(/-([a-z])/g, (_dash, letter: string) => letter.toUpperCase()) as Kind;
}

export const ALL_KINDS: readonly Kind[] = KIND_WORDS.map(kindOfWord);
