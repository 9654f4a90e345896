/** For authors of engines: what an engine implements, and the kernels that turn it into synchronizers. */
export type * from './spi/engine/cells.ts';
export type * from './spi/clock.ts';
export type * from './spi/maybe-async.ts';
export type * from './spi/json.ts';
export type * from './spi/engine/protocol.ts';
export { protocolTraits, type ProtocolTraits } from './spi/engine/protocol-traits.ts';
export type * from './spi/rule.ts';
export type * from './spi/engine/traits.ts';
export { assemble, type EngineOptions, type EngineParts } from './kernels/assemble.ts';
export { cellProtocol, holdingCellProtocol } from './kernels/cells/cell-protocol.ts';
export { cellProtocols, type CellsOf } from './kernels/cells/cell-protocols.ts';
export { EngineTime } from './kernels/requests/engine-time.ts';
export {
  once,
  type Once,
  type OnceVerbs,
  type DedupState,
  type Request,
} from './kernels/cells/at-most-once.ts';
export {
  type CellCall,
  ReliableCells,
  type RemoteOptions,
  type CellReply,
  type Wire,
} from './kernels/cells/reliable-cells.ts';
export { remoteProtocols } from './kernels/cells/remote-protocols.ts';
export { ruleBook } from './kernels/cells/rule-book.ts';
export type { Protocols } from './kernels/cells/protocols.ts';
