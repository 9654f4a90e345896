/** The part of postgres.js that we use. The pool is a function, and so is the connection of a transaction. */
export interface PostgresJs extends PostgresJsStatements {
  readonly options?: PostgresJsOptions;
  begin(fn: (own: PostgresJsStatements) => Promise<void>): Promise<unknown>;
  listen(
    channel: string,
    heard: (payload: string) => void,
    listening: () => void,
  ): Promise<{ unlisten(): Promise<unknown> }>;
}

export interface PostgresJsOptions {
  readonly max?: unknown;
  readonly host?: readonly string[];
  readonly port?: readonly number[];
  /** A socket of the file system, in place of host and port. */
  readonly path?: unknown;
}

export interface PostgresJsStatements {
  unsafe(text: string, values: readonly unknown[], options: object): PostgresJsQuery;
  /** A value with a type that we name. */
  typed(value: string | null, type: number): unknown;
}

export interface PostgresJsQuery extends Promise<PostgresJsRows> {
  /** Rows of bytes, as they arrived. */
  raw(): PostgresJsQuery;
}

export type PostgresJsRows = readonly (readonly (Uint8Array | null)[])[] & {
  readonly count: number | null;
  readonly state?: { readonly pid: number | null; readonly secret?: number | null };
  readonly columns?: readonly { readonly type: number }[];
};

/** The connection behind a transaction. */
export interface PostgresJsConnection {
  /** Called when the connection closes. */
  readonly onclose?: ((reason: unknown) => void) | null;
  /** Called after each statement while a transaction has the connection; with `release` also between transactions. */
  readonly reserved?: ((() => void) & { release?: boolean }) | null;
  terminate(): void;
}
