/** Its cells are Markdown already. The first column is words, the others numbers. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [header, rule, ...rows].map((row) => lineOf(row, widths)).join('\n');
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((width, column) => {
    const cell = row[column] ?? '';
    const space = ' '.repeat(Math.max(0, width - cell.length));
    return column === 0 ? `${cell}${space}` : `${space}${cell}`;
  });
  return `| ${cells.join(' | ')} |`;
}
