/** What all lines ask of those who hold something there: a ticket has no lease, so the client that holds it ends the lease. */
export const LINE_TRAITS = { leasesEndHere: true } as const;
