/** The server refuses each connection of the client: this copy was not handed to the client, or changes nothing. */
export class UnsentError extends Error {
  readonly refusal: Error;

  constructor(refusal: Error) {
    super(refusal.message, { cause: refusal });
    this.name = 'UnsentError';
    this.refusal = refusal;
  }
}
