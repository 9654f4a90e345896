/** What is measured: this many workers that want one lock again as soon as they have released it. */
export interface Contest {
  readonly name: string;
  readonly kind: 'lock' | 'fairLock';
  readonly processes: number;
  readonly workers: number;
  /** How long each of them is inside. */
  readonly insideMs?: number;
}

/** The processes of one contestant, made ready. */
export interface Fleet {
  /** How often they had the lock in so many milliseconds, all of them together. */
  round(roundMs: number): Promise<number>;
  close(): Promise<void>;
}

export const contests: readonly Contest[] = [
  { name: 'uncontended pair', kind: 'lock', processes: 1, workers: 1 },
  { name: '8 contenders in one process', kind: 'lock', processes: 1, workers: 8 },
  { name: '4 processes x 4', kind: 'lock', processes: 4, workers: 4 },
  { name: '4 processes x 4, 1 ms of work', kind: 'lock', processes: 4, workers: 4, insideMs: 1 },
  { name: 'fair lock, uncontended pair', kind: 'fairLock', processes: 1, workers: 1 },
  { name: 'fair lock, 8 contenders in one process', kind: 'fairLock', processes: 1, workers: 8 },
  { name: 'fair lock, 4 processes x 4', kind: 'fairLock', processes: 4, workers: 4 },
  {
    name: 'fair lock, 4 processes x 4, 1 ms of work',
    kind: 'fairLock',
    processes: 4,
    workers: 4,
    insideMs: 1,
  },
];
