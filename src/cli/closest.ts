/** A change in every third letter, and no more than two: what differs by more is another word. */
function mostChanges(word: string): number {
  return Math.min(2, Math.max(1, Math.floor(word.length / 3)));
}

/** The known word that was probably meant, or undefined: one that it begins, or one with a few changed letters. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const begun = word.length > 1 ? known.filter((one) => one.startsWith(word)) : [];
  if (begun.length === 1) return begun[0];
  const [best] = known
    .map((one) => ({ one, changes: changesBetween(word, one) }))
    .filter(({ one, changes }) => changes <= mostChanges(one))
    .toSorted((first, second) => first.changes - second.changes);
  return best?.one;
}

/** How many letters have to be inserted, removed, replaced or swapped with their neighbour. */
function changesBetween(one: string, other: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: other.length + 1 }, (_letter, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      next[j] = Math.min(
        row[j]! + 1,
        next[j - 1]! + 1,
        row[j - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Infinity,
      );
    }
    before = row;
    row = next;
  }
  return row[other.length]!;
}
