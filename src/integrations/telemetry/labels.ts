import { HoldfastError } from '../../spi/errors.ts';

/** What a span, a measurement or a refusal is about: a lock or any other synchronizer has all of these. */
export interface Observed {
  /** The kind of the synchronizer: `lock`, `semaphore`, … */
  readonly kind: string;
  /** The name of the synchronizer. */
  readonly name: string;
  /** The label of its engine object. */
  readonly engine: string;
}

/**
 * What names become in metrics and spans: `(name) => name.split(':')[0]`. Without it they have no name: each name would be a time
 * series of its own, and a name may hold what monitoring must not see.
 */
export type NameOf = (name: string, kind: string) => string | undefined;

/** The attributes of OpenTelemetry, which are the labels of Prometheus as well. */
export type Labels = Record<string, string>;

/** The labels that every metric has. */
export const LABEL_NAMES = ['holdfast.kind', 'holdfast.engine', 'holdfast.name'];

export function labelsOf({ kind, name, engine }: Observed, nameOf: NameOf | undefined): Labels {
  const shown = nameOf?.(name, kind);
  const labels = { 'holdfast.kind': kind, 'holdfast.engine': engine };
  return shown === undefined ? labels : { ...labels, 'holdfast.name': shown };
}

/** The `error.type` of the semantic conventions: the code of an error of Holdfast, the name of any other. Never its message. */
export function errorType(error: unknown): string {
  if (error instanceof HoldfastError) return error.code;
  return error instanceof Error ? error.name : '_OTHER';
}
