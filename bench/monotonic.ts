/** Microseconds on a clock that all processes of this machine share. */
export function monotonicUs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + nanoseconds / 1e3;
}
