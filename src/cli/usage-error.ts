/** The command line makes no sense as written. */
export class UsageError extends Error {}
