/** Heights as near as possible to those that are wished, in the same order, and no two closer than the gap. */
export function apart(wished: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = wished.map((y, index) => ({ y, index })).toSorted((a, b) => a.y - b.y);
  const placed = order.map(({ y }) => y);
  for (let at = 0; at < placed.length; at += 1) {
    placed[at] = Math.max(placed[at] ?? 0, at === 0 ? top : (placed[at - 1] ?? 0) + gap);
  }
  // What was pushed beyond the bottom pushes back those above it.
  for (let at = placed.length - 1; at >= 0; at -= 1) {
    placed[at] = Math.min(placed[at] ?? 0, at === placed.length - 1 ? bottom : (placed[at + 1] ?? 0) - gap);
  }
  const heights = Array.from({ length: wished.length }, () => 0);
  for (const [at, { index }] of order.entries()) heights[index] = placed[at] ?? 0;
  return heights;
}
