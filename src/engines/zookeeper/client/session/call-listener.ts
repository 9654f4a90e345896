/**
 * Calls a listener. Its error must neither keep other listeners from their call nor stop the stream of replies; it surfaces
 * as an uncaught exception, as that of an event listener does.
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
