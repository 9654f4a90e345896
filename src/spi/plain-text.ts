/** The longest text of a card: a card is for people, and a store is no place for a whole command line. */
const LONGEST_TEXT = 200;
/** Characters that move a cursor, end a line, or reverse the order of what follows: a log or a terminal would obey them. */
const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text, or as much of it as a card may have. */
export function shortened(text: string): string {
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
}

/** A text that any program may have written, fit for one line of a message. */
export function plainText(text: string): string {
  return shortened(text.replace(CONTROLS, ''));
}
