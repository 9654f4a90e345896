/**
 * Calls a listener. One that throws must not keep the others from their call, nor stop the stream of replies; its error is
 * reported as that of an event listener is, and not swallowed.
 */
export function callListener<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
