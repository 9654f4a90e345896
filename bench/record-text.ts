import type { RunRecord } from './run-record.ts';

/** As JSON with the rounds of a figure in one line: a line for each number would be ten times as long to look at. */
export function recordText(record: RunRecord): string {
  return `${textOf(record, '')}\n`;
}

function textOf(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.every(isPlain)) return `[${value.map((each) => JSON.stringify(each)).join(', ')}]`;
    return block(
      '[',
      ']',
      value.map((each) => textOf(each, inner)),
      indent,
    );
  }
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return block(
    '{',
    '}',
    fields.map(([name, field]) => `${JSON.stringify(name)}: ${textOf(field, inner)}`),
    indent,
  );
}

function block(open: string, close: string, parts: readonly string[], indent: string): string {
  return `${open}\n${parts.map((part) => `${indent} ${part}`).join(',\n')}\n${indent}${close}`;
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}
