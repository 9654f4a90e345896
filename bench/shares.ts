/** The coefficient of variation: 0 if all have the same. */
export function evenness(counts: readonly number[]): number {
  const mean = sumOf(counts) / counts.length;
  const variance = sumOf(counts.map((count) => (count - mean) ** 2)) / counts.length;
  return mean === 0 ? 0 : Math.sqrt(variance) / mean;
}

/**
 * The least share of one process in any window, as a part of what is fair: 1 if all processes got the same. A window without
 * any section counts as fair.
 */
export function leastShare(countsOfProcesses: readonly (readonly number[])[], slotsOfWindow: number): number {
  const slots = countsOfProcesses[0]?.length ?? 0;
  let least = 1;
  for (let from = 0; from + slotsOfWindow <= slots; from += 1) {
    const inWindow = countsOfProcesses.map((counts) => sumOf(counts.slice(from, from + slotsOfWindow)));
    const fair = sumOf(inWindow) / inWindow.length;
    if (fair > 0) least = Math.min(least, Math.min(...inWindow) / fair);
  }
  return least;
}

export function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
