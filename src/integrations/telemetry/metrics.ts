/** What is measured, by the names that OpenTelemetry gives it. Prometheus' names follow from these, so that one dashboard shows both. */
export const METRICS = {
  waitTime: {
    name: 'holdfast.wait_time',
    unit: 's',
    description: 'From the call to acquire until it was granted, was refused, or failed',
  },
  holdTime: { name: 'holdfast.hold_time', unit: 's', description: 'From the grant of a hold until its end' },
  acquired: { name: 'holdfast.acquired', unit: '{hold}', description: 'Holds that were granted' },
  timeouts: {
    name: 'holdfast.timeouts',
    unit: '{acquisition}',
    description: 'Acquisitions that ended without a hold when their time was over',
  },
  lost: { name: 'holdfast.lost', unit: '{hold}', description: 'Holds that ended before their release' },
  refusals: {
    name: 'holdfast.refusals',
    unit: '{write}',
    description:
      'Writes that a resource has refused because of their fence, as the program has reported them',
  },
  renewalFailures: {
    name: 'holdfast.renewal_failures',
    unit: '{renewal}',
    description: 'Renewals that the store has not answered or has refused',
  },
  holds: { name: 'holdfast.holds', unit: '{hold}', description: 'Holds of this process' },
  waiters: {
    name: 'holdfast.waiters',
    unit: '{acquisition}',
    description: 'Acquisitions that wait for another owner',
  },
} as const;

/** One of them. */
export type Metric = (typeof METRICS)[keyof typeof METRICS];

/** Upper bounds of the histograms, in seconds: from a free lock in memory to a job of an hour. */
export const BOUNDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 3600];
