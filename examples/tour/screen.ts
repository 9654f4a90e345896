import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const output = process.stdout;
/** A pipe has no colours and no line to write over; `hasColors` also obeys NO_COLOR. */
const coloured = output.isTTY && output.hasColors();
/** The line that the next one replaces. */
let unfinished = '';

export function styled(style: Style, text: string): string {
  return coloured ? styleText(style, text, { validateStream: false }) : text;
}

/** One line for good. */
export function say(line = ''): void {
  clear();
  output.write(`${line}\n`);
}

/** A line that the next one replaces. Only on a terminal, where it can be seen to move. */
export function show(line: string): void {
  if (!output.isTTY || line === unfinished) return;
  clear();
  output.write(line);
  unfinished = line;
}

function clear(): void {
  if (unfinished === '') return;
  output.write('\r\u001b[2K');
  unfinished = '';
}

/** So much of so much, as a bar. */
export function bar(part: number, whole: number, width = 24): string {
  const full = Math.max(0, Math.min(width, Math.round((part / whole) * width)));
  return `${'█'.repeat(full)}${'░'.repeat(width - full)}`;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
