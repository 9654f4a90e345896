/** The command line cannot be carried out as it stands. */
export class UsageError extends Error {}
