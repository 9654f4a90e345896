/** What a reader of the page must know of a trial to look at its figures. */
export interface Story {
  /** What happens, and why it matters, in Markdown. */
  readonly about: string;
  /** The figure that is drawn, and by which contestants are compared. */
  readonly figure: string;
  readonly better: 'more' | 'less';
  /** The one of ours that is compared: where there are several clients, the one that the others use too. */
  readonly ours: string;
  /**
   * Those that are no lock library but what one could at best be made of; the first is the one that others are compared
   * with. Every other contestant that is not ours is a peer: one that is forgotten here can only make ours look worse.
   */
  readonly floors?: readonly string[];
}
