/** One second of the curves. */
export interface Point {
  /** Seconds since the epoch, as the axis wants them. */
  readonly at: number;
  readonly held: number;
  readonly waiting: number;
  readonly grants: number;
  readonly losses: number;
}

/** A quarter of an hour. */
const MOST_POINTS = 900;

export function withPoint(points: readonly Point[], point: Point): readonly Point[] {
  return [...points.slice(-MOST_POINTS + 1), point];
}
