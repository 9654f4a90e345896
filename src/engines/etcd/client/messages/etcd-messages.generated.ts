// Written by scripts/build-etcd-messages.mjs from mvccpb/kv.proto, authpb/auth.proto, etcdserverpb/rpc.proto of the Go module
// go.etcd.io/etcd/api/v3 v3.5.21 (Apache License 2.0, the etcd Authors): change nothing here, and run it.
import { MessageType } from '../transport/message-type.ts';

export interface RangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly limit: bigint;
  readonly revision: bigint;
  readonly sortOrder: number;
  readonly sortTarget: number;
  readonly serializable: boolean;
  readonly keysOnly: boolean;
  readonly countOnly: boolean;
  readonly minModRevision: bigint;
  readonly maxModRevision: bigint;
  readonly minCreateRevision: bigint;
  readonly maxCreateRevision: bigint;
}

export interface RangeResponse {
  readonly header?: ResponseHeader | undefined;
  readonly kvs: readonly KeyValue[];
  readonly more: boolean;
  readonly count: bigint;
}

interface ResponseHeader {
  readonly clusterId: bigint;
  readonly memberId: bigint;
  readonly revision: bigint;
  readonly raftTerm: bigint;
}

export interface KeyValue {
  readonly key: Uint8Array;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly version: bigint;
  readonly value: Uint8Array;
  readonly lease: bigint;
}

interface DeleteRangeRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly prevKv: boolean;
}

interface DeleteRangeResponse {
  readonly header?: ResponseHeader | undefined;
  readonly deleted: bigint;
  readonly prevKvs: readonly KeyValue[];
}

export interface TxnRequest {
  readonly compare: readonly Compare[];
  readonly success: readonly RequestOp[];
  readonly failure: readonly RequestOp[];
}

export interface Compare {
  readonly result: number;
  readonly target: number;
  readonly key: Uint8Array;
  readonly version?: bigint | undefined;
  readonly createRevision?: bigint | undefined;
  readonly modRevision?: bigint | undefined;
  readonly value?: Uint8Array | undefined;
  readonly lease?: bigint | undefined;
  readonly rangeEnd: Uint8Array;
}

export interface RequestOp {
  readonly requestRange?: RangeRequest | undefined;
  readonly requestPut?: PutRequest | undefined;
  readonly requestDeleteRange?: DeleteRangeRequest | undefined;
  readonly requestTxn?: TxnRequest | undefined;
}

interface PutRequest {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly lease: bigint;
  readonly prevKv: boolean;
  readonly ignoreValue: boolean;
  readonly ignoreLease: boolean;
}

export interface TxnResponse {
  readonly header?: ResponseHeader | undefined;
  readonly succeeded: boolean;
  readonly responses: readonly ResponseOp[];
}

interface ResponseOp {
  readonly responseRange?: RangeResponse | undefined;
  readonly responsePut?: PutResponse | undefined;
  readonly responseDeleteRange?: DeleteRangeResponse | undefined;
  readonly responseTxn?: TxnResponse | undefined;
}

interface PutResponse {
  readonly header?: ResponseHeader | undefined;
  readonly prevKv?: KeyValue | undefined;
}

export interface WatchRequest {
  readonly createRequest?: WatchCreateRequest | undefined;
  readonly cancelRequest?: WatchCancelRequest | undefined;
  readonly progressRequest?: WatchProgressRequest | undefined;
}

interface WatchCreateRequest {
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly startRevision: bigint;
  readonly progressNotify: boolean;
  readonly filters: readonly number[];
  readonly prevKv: boolean;
  readonly watchId: bigint;
  readonly fragment: boolean;
}

interface WatchCancelRequest {
  readonly watchId: bigint;
}

interface WatchProgressRequest {}

export interface WatchResponse {
  readonly header?: ResponseHeader | undefined;
  readonly watchId: bigint;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: bigint;
  readonly cancelReason: string;
  readonly fragment: boolean;
  readonly events: readonly Event[];
}

export interface Event {
  readonly type: number;
  readonly kv?: KeyValue | undefined;
  readonly prevKv?: KeyValue | undefined;
}

interface LeaseGrantRequest {
  readonly TTL: bigint;
  readonly ID: bigint;
}

interface LeaseGrantResponse {
  readonly header?: ResponseHeader | undefined;
  readonly ID: bigint;
  readonly TTL: bigint;
  readonly error: string;
}

interface LeaseRevokeRequest {
  readonly ID: bigint;
}

interface LeaseRevokeResponse {
  readonly header?: ResponseHeader | undefined;
}

interface LeaseKeepAliveRequest {
  readonly ID: bigint;
}

interface LeaseKeepAliveResponse {
  readonly header?: ResponseHeader | undefined;
  readonly ID: bigint;
  readonly TTL: bigint;
}

interface AuthenticateRequest {
  readonly name: string;
  readonly password: string;
}

interface AuthenticateResponse {
  readonly header?: ResponseHeader | undefined;
  readonly token: string;
}

interface StatusRequest {}

interface StatusResponse {
  readonly header?: ResponseHeader | undefined;
  readonly version: string;
  readonly dbSize: bigint;
  readonly leader: bigint;
  readonly raftIndex: bigint;
  readonly raftTerm: bigint;
  readonly raftAppliedIndex: bigint;
  readonly errors: readonly string[];
  readonly dbSizeInUse: bigint;
  readonly isLearner: boolean;
}

export const rangeRequestSortTarget = {
  KEY: 0,
  VERSION: 1,
  CREATE: 2,
  MOD: 3,
  VALUE: 4,
} as const;

export const compareCompareResult = {
  EQUAL: 0,
  GREATER: 1,
  LESS: 2,
  NOT_EQUAL: 3,
} as const;

export const compareCompareTarget = {
  VERSION: 0,
  CREATE: 1,
  MOD: 2,
  VALUE: 3,
  LEASE: 4,
} as const;

export const watchCreateRequestFilterType = {
  NOPUT: 0,
  NODELETE: 1,
} as const;

export const eventEventType = {
  PUT: 0,
  DELETE: 1,
} as const;

const rangeRequestType: MessageType<RangeRequest> = new MessageType('RangeRequest', [
  { number: 1, name: 'key', wire: 'bytes' },
  { number: 2, name: 'rangeEnd', wire: 'bytes' },
  { number: 3, name: 'limit', wire: 'int64' },
  { number: 4, name: 'revision', wire: 'int64' },
  { number: 5, name: 'sortOrder', wire: 'int32' },
  { number: 6, name: 'sortTarget', wire: 'int32' },
  { number: 7, name: 'serializable', wire: 'bool' },
  { number: 8, name: 'keysOnly', wire: 'bool' },
  { number: 9, name: 'countOnly', wire: 'bool' },
  { number: 10, name: 'minModRevision', wire: 'int64' },
  { number: 11, name: 'maxModRevision', wire: 'int64' },
  { number: 12, name: 'minCreateRevision', wire: 'int64' },
  { number: 13, name: 'maxCreateRevision', wire: 'int64' },
]);

const rangeResponseType: MessageType<RangeResponse> = new MessageType('RangeResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'kvs', wire: 'message', isRepeated: true, message: () => keyValueType },
  { number: 3, name: 'more', wire: 'bool' },
  { number: 4, name: 'count', wire: 'int64' },
]);

const responseHeaderType: MessageType<ResponseHeader> = new MessageType('ResponseHeader', [
  { number: 1, name: 'clusterId', wire: 'uint64' },
  { number: 2, name: 'memberId', wire: 'uint64' },
  { number: 3, name: 'revision', wire: 'int64' },
  { number: 4, name: 'raftTerm', wire: 'uint64' },
]);

const keyValueType: MessageType<KeyValue> = new MessageType('KeyValue', [
  { number: 1, name: 'key', wire: 'bytes' },
  { number: 2, name: 'createRevision', wire: 'int64' },
  { number: 3, name: 'modRevision', wire: 'int64' },
  { number: 4, name: 'version', wire: 'int64' },
  { number: 5, name: 'value', wire: 'bytes' },
  { number: 6, name: 'lease', wire: 'int64' },
]);

const deleteRangeRequestType: MessageType<DeleteRangeRequest> = new MessageType('DeleteRangeRequest', [
  { number: 1, name: 'key', wire: 'bytes' },
  { number: 2, name: 'rangeEnd', wire: 'bytes' },
  { number: 3, name: 'prevKv', wire: 'bool' },
]);

const deleteRangeResponseType: MessageType<DeleteRangeResponse> = new MessageType('DeleteRangeResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'deleted', wire: 'int64' },
  { number: 3, name: 'prevKvs', wire: 'message', isRepeated: true, message: () => keyValueType },
]);

const txnRequestType: MessageType<TxnRequest> = new MessageType('TxnRequest', [
  { number: 1, name: 'compare', wire: 'message', isRepeated: true, message: () => compareType },
  { number: 2, name: 'success', wire: 'message', isRepeated: true, message: () => requestOpType },
  { number: 3, name: 'failure', wire: 'message', isRepeated: true, message: () => requestOpType },
]);

const compareType: MessageType<Compare> = new MessageType('Compare', [
  { number: 1, name: 'result', wire: 'int32' },
  { number: 2, name: 'target', wire: 'int32' },
  { number: 3, name: 'key', wire: 'bytes' },
  { number: 4, name: 'version', wire: 'int64', isOfUnion: true },
  { number: 5, name: 'createRevision', wire: 'int64', isOfUnion: true },
  { number: 6, name: 'modRevision', wire: 'int64', isOfUnion: true },
  { number: 7, name: 'value', wire: 'bytes', isOfUnion: true },
  { number: 8, name: 'lease', wire: 'int64', isOfUnion: true },
  { number: 64, name: 'rangeEnd', wire: 'bytes' },
]);

const requestOpType: MessageType<RequestOp> = new MessageType('RequestOp', [
  { number: 1, name: 'requestRange', wire: 'message', isOfUnion: true, message: () => rangeRequestType },
  { number: 2, name: 'requestPut', wire: 'message', isOfUnion: true, message: () => putRequestType },
  {
    number: 3,
    name: 'requestDeleteRange',
    wire: 'message',
    isOfUnion: true,
    message: () => deleteRangeRequestType,
  },
  { number: 4, name: 'requestTxn', wire: 'message', isOfUnion: true, message: () => txnRequestType },
]);

const putRequestType: MessageType<PutRequest> = new MessageType('PutRequest', [
  { number: 1, name: 'key', wire: 'bytes' },
  { number: 2, name: 'value', wire: 'bytes' },
  { number: 3, name: 'lease', wire: 'int64' },
  { number: 4, name: 'prevKv', wire: 'bool' },
  { number: 5, name: 'ignoreValue', wire: 'bool' },
  { number: 6, name: 'ignoreLease', wire: 'bool' },
]);

const txnResponseType: MessageType<TxnResponse> = new MessageType('TxnResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'succeeded', wire: 'bool' },
  { number: 3, name: 'responses', wire: 'message', isRepeated: true, message: () => responseOpType },
]);

const responseOpType: MessageType<ResponseOp> = new MessageType('ResponseOp', [
  { number: 1, name: 'responseRange', wire: 'message', isOfUnion: true, message: () => rangeResponseType },
  { number: 2, name: 'responsePut', wire: 'message', isOfUnion: true, message: () => putResponseType },
  {
    number: 3,
    name: 'responseDeleteRange',
    wire: 'message',
    isOfUnion: true,
    message: () => deleteRangeResponseType,
  },
  { number: 4, name: 'responseTxn', wire: 'message', isOfUnion: true, message: () => txnResponseType },
]);

const putResponseType: MessageType<PutResponse> = new MessageType('PutResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'prevKv', wire: 'message', message: () => keyValueType },
]);

const watchRequestType: MessageType<WatchRequest> = new MessageType('WatchRequest', [
  {
    number: 1,
    name: 'createRequest',
    wire: 'message',
    isOfUnion: true,
    message: () => watchCreateRequestType,
  },
  {
    number: 2,
    name: 'cancelRequest',
    wire: 'message',
    isOfUnion: true,
    message: () => watchCancelRequestType,
  },
  {
    number: 3,
    name: 'progressRequest',
    wire: 'message',
    isOfUnion: true,
    message: () => watchProgressRequestType,
  },
]);

const watchCreateRequestType: MessageType<WatchCreateRequest> = new MessageType('WatchCreateRequest', [
  { number: 1, name: 'key', wire: 'bytes' },
  { number: 2, name: 'rangeEnd', wire: 'bytes' },
  { number: 3, name: 'startRevision', wire: 'int64' },
  { number: 4, name: 'progressNotify', wire: 'bool' },
  { number: 5, name: 'filters', wire: 'int32', isRepeated: true },
  { number: 6, name: 'prevKv', wire: 'bool' },
  { number: 7, name: 'watchId', wire: 'int64' },
  { number: 8, name: 'fragment', wire: 'bool' },
]);

const watchCancelRequestType: MessageType<WatchCancelRequest> = new MessageType('WatchCancelRequest', [
  { number: 1, name: 'watchId', wire: 'int64' },
]);

const watchProgressRequestType: MessageType<WatchProgressRequest> = new MessageType(
  'WatchProgressRequest',
  [],
);

const watchResponseType: MessageType<WatchResponse> = new MessageType('WatchResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'watchId', wire: 'int64' },
  { number: 3, name: 'created', wire: 'bool' },
  { number: 4, name: 'canceled', wire: 'bool' },
  { number: 5, name: 'compactRevision', wire: 'int64' },
  { number: 6, name: 'cancelReason', wire: 'string' },
  { number: 7, name: 'fragment', wire: 'bool' },
  { number: 11, name: 'events', wire: 'message', isRepeated: true, message: () => eventType },
]);

const eventType: MessageType<Event> = new MessageType('Event', [
  { number: 1, name: 'type', wire: 'int32' },
  { number: 2, name: 'kv', wire: 'message', message: () => keyValueType },
  { number: 3, name: 'prevKv', wire: 'message', message: () => keyValueType },
]);

const leaseGrantRequestType: MessageType<LeaseGrantRequest> = new MessageType('LeaseGrantRequest', [
  { number: 1, name: 'TTL', wire: 'int64' },
  { number: 2, name: 'ID', wire: 'int64' },
]);

const leaseGrantResponseType: MessageType<LeaseGrantResponse> = new MessageType('LeaseGrantResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'ID', wire: 'int64' },
  { number: 3, name: 'TTL', wire: 'int64' },
  { number: 4, name: 'error', wire: 'string' },
]);

const leaseRevokeRequestType: MessageType<LeaseRevokeRequest> = new MessageType('LeaseRevokeRequest', [
  { number: 1, name: 'ID', wire: 'int64' },
]);

const leaseRevokeResponseType: MessageType<LeaseRevokeResponse> = new MessageType('LeaseRevokeResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
]);

const leaseKeepAliveRequestType: MessageType<LeaseKeepAliveRequest> = new MessageType(
  'LeaseKeepAliveRequest',
  [{ number: 1, name: 'ID', wire: 'int64' }],
);

const leaseKeepAliveResponseType: MessageType<LeaseKeepAliveResponse> = new MessageType(
  'LeaseKeepAliveResponse',
  [
    { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
    { number: 2, name: 'ID', wire: 'int64' },
    { number: 3, name: 'TTL', wire: 'int64' },
  ],
);

const authenticateRequestType: MessageType<AuthenticateRequest> = new MessageType('AuthenticateRequest', [
  { number: 1, name: 'name', wire: 'string' },
  { number: 2, name: 'password', wire: 'string' },
]);

const authenticateResponseType: MessageType<AuthenticateResponse> = new MessageType('AuthenticateResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'token', wire: 'string' },
]);

const statusRequestType: MessageType<StatusRequest> = new MessageType('StatusRequest', []);

const statusResponseType: MessageType<StatusResponse> = new MessageType('StatusResponse', [
  { number: 1, name: 'header', wire: 'message', message: () => responseHeaderType },
  { number: 2, name: 'version', wire: 'string' },
  { number: 3, name: 'dbSize', wire: 'int64' },
  { number: 4, name: 'leader', wire: 'uint64' },
  { number: 5, name: 'raftIndex', wire: 'uint64' },
  { number: 6, name: 'raftTerm', wire: 'uint64' },
  { number: 7, name: 'raftAppliedIndex', wire: 'uint64' },
  { number: 8, name: 'errors', wire: 'string', isRepeated: true },
  { number: 9, name: 'dbSizeInUse', wire: 'int64' },
  { number: 10, name: 'isLearner', wire: 'bool' },
]);

/** The calls of etcd that the client uses. */
export const etcdCalls = {
  range: { path: '/etcdserverpb.KV/Range', request: rangeRequestType, response: rangeResponseType },
  deleteRange: {
    path: '/etcdserverpb.KV/DeleteRange',
    request: deleteRangeRequestType,
    response: deleteRangeResponseType,
  },
  txn: { path: '/etcdserverpb.KV/Txn', request: txnRequestType, response: txnResponseType },
  watch: { path: '/etcdserverpb.Watch/Watch', request: watchRequestType, response: watchResponseType },
  leaseGrant: {
    path: '/etcdserverpb.Lease/LeaseGrant',
    request: leaseGrantRequestType,
    response: leaseGrantResponseType,
  },
  leaseRevoke: {
    path: '/etcdserverpb.Lease/LeaseRevoke',
    request: leaseRevokeRequestType,
    response: leaseRevokeResponseType,
  },
  leaseKeepAlive: {
    path: '/etcdserverpb.Lease/LeaseKeepAlive',
    request: leaseKeepAliveRequestType,
    response: leaseKeepAliveResponseType,
  },
  authenticate: {
    path: '/etcdserverpb.Auth/Authenticate',
    request: authenticateRequestType,
    response: authenticateResponseType,
  },
  status: {
    path: '/etcdserverpb.Maintenance/Status',
    request: statusRequestType,
    response: statusResponseType,
  },
} as const;
