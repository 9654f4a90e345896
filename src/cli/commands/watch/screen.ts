/** Draws whole pictures in place. */
export interface Screen {
  readonly width: number | undefined;
  readonly height: number | undefined;
  draw(lines: readonly string[]): void;
  close(): void;
}

const ESC = '\u001b[';
const SHOW_CURSOR = `${ESC}?25h`;
const HIDE_CURSOR = `${ESC}?25l`;
const HOME = `${ESC}H`;
const CLEAR = `${ESC}2J`;
const CLEAR_LINE = `${ESC}K`;
const CLEAR_BELOW = `${ESC}J`;
/** Terminals with synchronized output show everything between the two at once; others ignore the codes. */
const BEGIN_TOGETHER = `${ESC}?2026h`;
const END_TOGETHER = `${ESC}?2026l`;

/**
 * The terminal. Each picture goes over the last one, line by line and in one write: to clear the screen first is what
 * makes it flicker.
 */
export function terminalScreen(output: NodeJS.WriteStream): Screen {
  output.write(`${HIDE_CURSOR}${CLEAR}`);
  return {
    get width() {
      return output.columns;
    },
    get height() {
      return output.rows;
    },
    draw: (lines) => {
      const body = lines.map((line) => `${line}${CLEAR_LINE}`).join('\r\n');
      output.write(`${BEGIN_TOGETHER}${HOME}${body}${CLEAR_BELOW}${END_TOGETHER}`);
    },
    close: () => void output.write(`${SHOW_CURSOR}\r\n`),
  };
}

/** A pipe: one picture after the other, with an empty line between them. */
export function pipeScreen(output: NodeJS.WritableStream): Screen {
  return {
    width: undefined,
    height: undefined,
    draw: (lines) => void output.write(`${lines.join('\n')}\n\n`),
    close: () => undefined,
  };
}
