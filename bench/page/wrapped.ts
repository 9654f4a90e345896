/** A name in lines of at most so many characters: broken behind commas where that is enough, else between words. */
export function wrapped(text: string, width: number): string[] {
  const parts = filled(text.split(/(?<=,) /), width);
  return parts.every((part) => part.length <= width) ? parts : filled(text.split(' '), width);
}

function filled(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + part.length <= width)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(part);
  }
  return lines;
}
