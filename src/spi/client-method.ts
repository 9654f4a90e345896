/** A method of a client that users pass in, whatever its parameters are: enough to recognise the client by. */
export type ClientMethod = (...args: never[]) => unknown;
