/**
 * For authors of engines: what an engine implements, and the kernels that turn it into synchronizers. It is all that the
 * engines of Holdfast use, and nothing else; errors, traits, the clock and the inspector's types are exported by `holdfast`.
 * `docs/adding-an-engine.md` builds an engine with it.
 */

// 1. An engine object: a context first, then its protocols, then the object that users hold.
export { checkLeaseMs, checkName, checkOptions, shown, subjectOf } from './core/arguments.ts';
export { Client, closedError } from './core/client.ts';
export { importIfInstalled, importPackage } from './core/import-package.ts';
export { systemClock, systemRandom } from './core/time/clock.ts';
export { TimerQueue, TimerTask } from './core/time/timer-queue.ts';
export { assemble, assembleUnraised } from './kernels/assemble.ts';
export { openContext, openPushedContext } from './kernels/context.ts';
export { checkEngineOptions } from './kernels/engine-options.ts';
export { engineForms, readQuery } from './kernels/address/read-query.ts';
export type { ParameterForm, ParameterValues } from './kernels/address/read-query.ts';
export { readTlsFiles, tlsFileForms } from './kernels/address/read-tls-files.ts';
export type { TlsFiles } from './kernels/address/read-tls-files.ts';
export { settingsOverAddress } from './kernels/address/settings-over-address.ts';
export type { Announcements, FoundClients } from './spi/engine/announcements.ts';
export { checkFactoryArgument } from './kernels/factory-argument.ts';
export { checkAddress, checkMs } from './kernels/session-settings.ts';
export type { ClientMethod } from './spi/client-method.ts';
export type { SessionStore } from './spi/engine/cells.ts';
export type { Liveness, LivenessNews } from './spi/engine/liveness.ts';

// 2. A store of documents, which compares and replaces: the rules run in the client.
export { OptimisticCells } from './kernels/cells/optimistic-cells.ts';
export { ReliableCells } from './kernels/cells/reliable-cells.ts';
export { remoteProtocols } from './kernels/cells/remote-protocols.ts';
export { NONE_DEAD } from './kernels/cells/rule-decisions.ts';
export type {
  DocumentChange,
  DocumentDecision,
  Documents,
  Found,
  News,
  Sending,
} from './spi/engine/documents.ts';

// 3. A store that runs the rules itself: in this process, or behind a wire.
export { once } from './kernels/cells/at-most-once.ts';
export { cellProtocols } from './kernels/cells/cell-protocols.ts';
export type { CellCall, CellReply, Wire } from './kernels/cells/wire.ts';
export { ruleBook } from './kernels/cells/rule-book.ts';
export type { CellStore } from './spi/engine/cells.ts';
export type { Decide, Facts, DeadOwners, OwnerId, Rule, Step, Verbs, Wake } from './spi/rule.ts';

// 4. A protocol written by hand, where another program's layout demands it.
export type { Renewal, RenewalOutcome, Unwatch, Watchable } from './spi/engine/protocol.ts';
export { protocolTraits, type ProtocolTraits } from './spi/engine/protocol-traits.ts';
export type { Protocols } from './spi/engine/protocols.ts';
export { isPending, mapAnswer, type MaybeAsync, type Pending } from './spi/maybe-async.ts';
export type {
  AcquireAsk,
  Busy,
  Follower,
  Granted,
  HolderView,
  MinHold,
  OwnerAsk,
  Released,
  ReleaseAsk,
  RenewAsk,
  Renewed,
} from './spi/verbs/holding.ts';
export type { ForceAsk, Forced, LockAsk, LockLook } from './spi/verbs/lock.ts';
export type { ReadWriteAsk, Side, SideAsk, SideRenewAsk } from './spi/verbs/read-write-lock.ts';
export type { SemaphoreAsk } from './spi/verbs/semaphore.ts';
export { createLockOfKind, createUnfencedLock } from './synchronizers/lock/plain-lock.ts';
export { createSemaphoreOfKind } from './synchronizers/semaphores/semaphore.ts';
export { SweepPace } from './core/queues/sweep-pace.ts';
export { YIELD_PACE, YieldAfterRun } from './core/queues/yield-after-run.ts';
export { WaiterCounts } from './kernels/waiter-counts.ts';

// 5. A store of ordered tickets that die with a session.
export type { Json } from './spi/json.ts';
export { leasedSemaphore } from './kernels/lines/leased-semaphore.ts';
export { SessionLiveness, type SessionLivenessPlan, type SessionNews } from './kernels/session-liveness.ts';
export { permitLine, type TicketLeases } from './kernels/lines/permit-line.ts';
export { FENCES_OF_A_TICKET } from './kernels/lines/line-fence.ts';
export { lineProtocols } from './kernels/lines/line-protocols.ts';
export type {
  JoinAnswer,
  JoinAsk,
  Joined,
  LineName,
  LineTicket,
  Listing,
  SeenTicket,
  TicketLine,
} from './spi/engine/ticket-line.ts';

// 6. Documents in a store that compares versions and has no clock.
export { ClocklessCells } from './kernels/cells/clockless-cells.ts';
export { clocklessProtocols } from './kernels/cells/clockless-protocols.ts';
export type { VersionedDocument, VersionedDocuments } from './spi/engine/versioned-documents.ts';

// 7. Requests: limits of time, the engine's clock, and what an error of a store means.
export { isError } from './spi/is-error.ts';
export { AnsweredError } from './core/failures/answered-error.ts';
export { Followers } from './core/acquire/followers.ts';
export { provesAnswer } from './core/failures/proves-answer.ts';
export { requestEndOf } from './core/failures/request-end.ts';
export { RefusedError } from './core/failures/refused-error.ts';
export { StoreFullError } from './core/failures/store-full-error.ts';
export { onAbort } from './core/async/aborts.ts';
export { inTime, NoAnswerError } from './core/async/in-time.ts';
export { afterUnanswered } from './kernels/requests/after-unanswered.ts';
export { NotReadyError } from './core/failures/not-ready-error.ts';
export { EngineTime } from './kernels/requests/engine-time.ts';
export { EngineTimes } from './kernels/requests/engine-times.ts';
export { type CopiesSent, RequestCopies } from './kernels/requests/request-copies.ts';
export { RequestLimits } from './kernels/requests/request-limits.ts';
export { Requests, type RepeatedRequest } from './kernels/requests/requests.ts';
export { explainedFor, SharedFailure } from './kernels/requests/shared-failure.ts';

// 8. The inspector, and the check-up of `holdfast doctor`.
export { breakHold } from './kernels/inspector/break-hold.ts';
export { cellInspector, type CellName } from './kernels/inspector/cell-inspector.ts';
export { checkedInspector, INSPECTOR } from './kernels/inspector/checked-inspector.ts';
export { type Describing, describing } from './kernels/inspector/describing.ts';
export { type LineInside, lineInspector } from './kernels/inspector/line-inspector.ts';
export { waitersHere } from './kernels/inspector/waiters-here.ts';
export { clockFinding } from './kernels/requests/clock-offset.ts';
export type { Finding } from './spi/engine/finding.ts';
export { KINDS } from './spi/kinds.ts';
