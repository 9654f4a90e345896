type Listener = Parameters<AbortSignal['addEventListener']>[1];
type ListenerOptions = Parameters<AbortSignal['addEventListener']>[2];

/**
 * Aborts, and also calls the listeners that the code of this turn adds afterwards, each once, as soon as the turn is over.
 *
 * A look at a hold compares the clock, so the signal of a hold aborts while the code of its holder runs:
 * `if (hold.lost.aborted) stop(); else hold.lost.addEventListener('abort', stop)`, in a process that is stopped between the
 * two looks, listens to a signal that has just aborted. No other signal does that, and its holder would not hear of the loss
 * (soundness 6). To abort only when the turn is over would answer `aborted` with false meanwhile, to the guarded act that asks
 * for it.
 */
export function abortInTurn(controller: AbortController, reason: unknown): void {
  const { signal } = controller;
  if (signal.aborted) return;
  controller.abort(reason);
  const late = new Map<Listener, ListenerOptions>();
  // On the signal itself, where they hide those of its class. An `onabort` calls them as well.
  const own = {
    addEventListener(type: string, listener: Listener, options?: ListenerOptions): void {
      if (type !== 'abort')
        return EventTarget.prototype.addEventListener.call(signal, type, listener, options);
      if (late.has(listener)) return undefined;
      late.set(listener, options);
      // One microtask each: a listener that throws keeps no other from its turn.
      queueMicrotask(() => {
        // It may have been removed since, and added again.
        const added = late.get(listener);
        if (late.delete(listener) && !isCancelled(added)) call(signal, listener);
      });
      return undefined;
    },
    removeEventListener(type: string, listener: Listener, options?: ListenerOptions): void {
      if (type === 'abort') late.delete(listener);
      EventTarget.prototype.removeEventListener.call(signal, type, listener, options);
    },
  };
  for (const [name, value] of Object.entries(own))
    Object.defineProperty(signal, name, { value, configurable: true });
  queueMicrotask(() => {
    for (const name of Object.keys(own)) Reflect.deleteProperty(signal, name);
  });
}

function isCancelled(options: ListenerOptions): boolean {
  return typeof options === 'object' && options.signal?.aborted === true;
}

function call(signal: AbortSignal, listener: Listener): void {
  const event = Object.defineProperties(new Event('abort'), {
    target: { value: signal },
    currentTarget: { value: signal },
  });
  if (typeof listener === 'function') listener.call(signal, event);
  else listener?.handleEvent(event);
}
