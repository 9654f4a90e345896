import { AnsweredError } from './answered-error.ts';

/** The store has answered with a refusal, and would answer the same if it were asked again at once. */
export class RefusedError extends AnsweredError {}
