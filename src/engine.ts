/** For authors of engines: what an engine implements, and the kernels that turn it into synchronizers. */
export type * from './spi/cells.ts';
export type * from './spi/clock.ts';
export type * from './spi/eventually.ts';
export type * from './spi/json.ts';
export type * from './spi/protocol.ts';
export type * from './spi/rule.ts';
export type * from './spi/traits.ts';
export { assemble, type EngineOptions, type EngineParts } from './kernels/assemble.ts';
export { cellProtocol, holdingCellProtocol } from './kernels/cell-protocol.ts';
export { cellProtocols, type CellsOf } from './kernels/cell-protocols.ts';
export { EngineTime } from './kernels/engine-time.ts';
export { once, type Once, type OnceVerbs, type Remembering, type Request } from './kernels/once.ts';
export { type Call, RemoteCells, type RemoteOptions, type Reply, type Wire } from './kernels/remote-cells.ts';
export { remoteProtocols } from './kernels/remote-protocols.ts';
export { ruleBook } from './kernels/rule-book.ts';
export type { Protocols } from './kernels/protocols.ts';
