import { UsageError } from './usage-error.ts';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `30s`, `1.5m`, `500ms`. A number alone is refused: other tools count seconds, the library milliseconds. */
export function readDuration(text: string, option: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (number === undefined || unit === undefined)
    throw new UsageError(`${option} needs a number with a unit (500ms, 10s, 2m, 1h, 1d), not "${text}".`);
  return Math.round(Number(number) * UNITS[unit]!);
}

/** In the largest unit of which there is at least one. */
export function showDuration(ms: number): string {
  if (!Number.isFinite(ms)) return 'no end';
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${trimmed(ms / 1000)}s`;
  if (ms < 3_600_000) return `${trimmed(ms / 60_000)}m`;
  if (ms < 86_400_000) return `${trimmed(ms / 3_600_000)}h`;
  return `${trimmed(ms / 86_400_000)}d`;
}

function trimmed(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0).replace(/\.0$/, '');
}
