const listening = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back when the signal aborts; returns a function that ends it.
 *
 * One listener for each signal, however many wait with it: a thousand waiters that share the signal of a request or of
 * a shutdown would otherwise be a thousand listeners and a warning about a leak.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  let calls = listening.get(signal);
  if (calls === undefined) {
    calls = new Set();
    listening.set(signal, calls);
  }
  const set = calls;
  if (set.size === 0) signal.addEventListener('abort', abortAll);
  set.add(call);
  return () => {
    if (!set.delete(call)) return;
    if (set.size === 0) signal.removeEventListener('abort', abortAll);
  };
}

function abortAll(this: AbortSignal): void {
  const calls = listening.get(this);
  if (calls === undefined) return;
  listening.delete(this);
  this.removeEventListener('abort', abortAll);
  for (const call of calls) call();
}
