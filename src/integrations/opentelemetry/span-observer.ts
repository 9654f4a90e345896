import {
  type Context,
  context,
  type Span,
  SpanStatusCode,
  trace as spans,
  type Tracer,
} from '@opentelemetry/api';
import type { AcquireTrace, HoldTrace, RenewalTrace } from '../../spi/synchronizers.ts';
import { errorType, labelsOf, type NameOf } from '../telemetry/labels.ts';
import type { TraceObserver } from '../telemetry/subscribe.ts';

/** Makes a span of each acquisition and of each hold. */
export class SpanObserver implements TraceObserver {
  readonly #tracer: Tracer;
  readonly #nameOf: NameOf | undefined;
  readonly #acquisitions = new WeakMap<AcquireTrace, { readonly span: Span; readonly caller: Context }>();
  readonly #holds = new WeakMap<HoldTrace, Span>();

  constructor(tracer: Tracer, nameOf: NameOf | undefined) {
    this.#tracer = tracer;
    this.#nameOf = nameOf;
  }

  beginAcquire(trace: AcquireTrace): void {
    const caller = context.active();
    const span = this.#tracer.startSpan(
      'lock.acquire',
      { attributes: labelsOf(trace, this.#nameOf) },
      caller,
    );
    this.#acquisitions.set(trace, { span, caller });
  }

  endAcquire(trace: AcquireTrace): void {
    const span = this.#acquisitions.get(trace)?.span;
    if (span === undefined) return;
    const { waited, reentered, owner, fence, error, result } = trace;
    span.setAttributes({ 'holdfast.waited': waited, 'holdfast.reentered': reentered });
    if (owner !== undefined) span.setAttribute('holdfast.owner', owner);
    if (fence !== undefined) span.setAttribute('holdfast.fence', String(fence));
    if (error === undefined) span.setAttribute('holdfast.granted', result !== null);
    else markFailed(span, error);
    span.end();
  }

  /**
   * A sibling of its acquisition and linked with it, not its child: the acquisition is over when the hold begins. The grant
   * arrives on a socket, where nothing of the caller is active; so its parent is what was active when the acquisition began.
   */
  beginHold(trace: HoldTrace): void {
    const { acquisition, owner, fence } = trace;
    const acquired = acquisition && this.#acquisitions.get(acquisition);
    const attributes = {
      ...labelsOf(trace, this.#nameOf),
      'holdfast.owner': owner,
      'holdfast.fence': String(fence),
    };
    const links = acquired === undefined ? [] : [{ context: acquired.span.spanContext() }];
    const parent = acquired?.caller ?? context.active();
    const span = this.#tracer.startSpan('lock.hold', { attributes, links }, parent);
    this.#holds.set(trace, span);
    trace.callSectionBy((section) => context.with(spans.setSpan(context.active(), span), section));
  }

  endHold(trace: HoldTrace): void {
    const span = this.#holds.get(trace);
    if (span === undefined) return;
    if (trace.error !== undefined) markFailed(span, trace.error);
    span.end();
  }

  endRenewal({ hold, error }: RenewalTrace): void {
    if (error === undefined || hold === undefined) return;
    this.#holds.get(hold)?.addEvent('renewal failed', { 'error.type': errorType(error) });
  }
}

/** Without the message: it has the name of the lock, which only `nameOf` may show. */
function markFailed(span: Span, error: unknown): void {
  span.setAttribute('error.type', errorType(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
}
