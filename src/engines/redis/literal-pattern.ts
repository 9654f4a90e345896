/** A pattern of Redis that matches exactly this text: a name is data, and may contain what means something there. */
export function literalPattern(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
