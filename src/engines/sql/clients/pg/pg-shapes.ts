import type { SqlValue } from '../../sql-client.ts';

/** The part of pg that we use. */
export interface PgPool {
  connect(): Promise<PgConnection>;
  readonly options?: { readonly max?: number };
}

export interface PgConnection {
  query(config: PgQuery): Promise<PgResult | readonly PgResult[]>;
  on(event: string, listener: (told: never) => void): unknown;
  off(event: string, listener: (told: never) => void): unknown;
  /** True closes the connection instead. */
  release(destroy: boolean): void;
  readonly processID?: number | null;
  readonly secretKey?: number | Uint8Array | null;
  readonly host?: string;
  readonly port?: number;
}

interface PgQuery {
  readonly text: string;
  readonly name?: string;
  readonly values?: readonly (string | null)[];
  readonly rowMode: 'array';
  readonly types: { getTypeParser(type: number): (text: string) => SqlValue };
}

export interface PgResult {
  readonly rows: readonly (readonly SqlValue[])[];
  readonly rowCount: number | null;
}
