/** A pattern of Redis that matches exactly this text: a name is data, and may contain what means something there. */
export function escapeGlob(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
