/**
 * What a call came to, besides an answer. Those of gRPC by their names; `CONNECTION_LOST`: the connection ended after the call had
 * been sent; `NOT_SENT`: the call has not reached a server; `CLOSED`: the client was closed.
 */
export type EtcdErrorCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED'
  | 'CONNECTION_LOST'
  | 'NOT_SENT'
  | 'CLOSED';

const GRPC_CODES: readonly EtcdErrorCode[] = [
  'UNKNOWN',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];

/** Why a call of etcd has no answer. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
  /** What became of the call. */
  readonly code: EtcdErrorCode;

  constructor(code: EtcdErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The error for what a server says of a call. */
export function errorOfStatus(status: number, message: string): EtcdError {
  return new EtcdError(GRPC_CODES[status] ?? 'UNKNOWN', message === '' ? `status ${status}` : message);
}

/** The text of a status, which is percent-encoded. One that is not stays as it is. */
export function decodeStatusMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
