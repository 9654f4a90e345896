/** One result of a check-up: whether a store is fit to keep locks. */
export interface Finding {
  /** `note`: worth knowing, nothing is wrong. `bad`: locks can fail because of it. */
  readonly level: 'good' | 'note' | 'bad';
  /** What was checked, in a word or two. */
  readonly about: string;
  /** What the check found, as a sentence. */
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}
