/** What users have put there themselves, and what was answered to them: none of our times are in it. */
const NOT_OURS: ReadonlySet<string> = new Set(['value', 'answer']);

/**
 * The same state with everything that has an end ending so much earlier: for a state that was written by a clock which has
 * been set back since. Without it a lease of a second would last as long as the clock was set back by; with it, it lasts
 * as long again as it had left when it was last written, which is never too short.
 */
export function shiftDeadlines<T>(state: T, byMs: number): T {
  if (Array.isArray(state)) return state.map((item: unknown) => shiftDeadlines(item, byMs)) as T;
  if (typeof state !== 'object' || state === null) return state;
  const entries = Object.entries(state).map(([key, value]: [string, unknown]) => {
    if ((key === 'until' || key === 'keptUntil') && typeof value === 'number' && 'owner' in state)
      return [key, value - byMs];
    return [key, NOT_OURS.has(key) ? value : shiftDeadlines(value, byMs)];
  });
  return Object.fromEntries(entries) as T;
}
