/** One thing that was found out about a store: whether it is fit to keep locks. */
export interface Finding {
  /** `note`: good to know, and nothing is wrong. `bad`: locks can fail because of it. */
  readonly level: 'good' | 'note' | 'bad';
  /** What was looked at, in a word or two. */
  readonly about: string;
  readonly found: string;
  /** What to do about it. */
  readonly advice?: string;
}
