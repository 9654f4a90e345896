import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

const output = process.stdout;
const startedAt = performance.now();
/** How many lines of the board stand below the last event. */
let boardLines = 0;

export function styled(style: Style, text: string): string {
  return output.isTTY && output.hasColors() ? styleText(style, text, { validateStream: false }) : text;
}

/** An event, for good, with the time since the start. */
export function say(text: string): void {
  clearBoard();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  output.write(`${styled('dim', `${seconds.padStart(6)} s`)}  ${text}\n`);
}

/** What is so at this moment: below the events on a terminal, where it replaces the last board, and among them in a pipe. */
export function showBoard(lines: readonly string[]): void {
  if (!output.isTTY) return say(lines.join('; '));
  clearBoard();
  output.write(lines.map((line) => `  ${line.slice(0, output.columns - 3)}\n`).join(''));
  boardLines = lines.length;
}

function clearBoard(): void {
  if (boardLines > 0) output.write(`\u001b[${boardLines}A\u001b[0J`);
  boardLines = 0;
}
