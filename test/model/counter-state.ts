import type { Facts, OwnerId } from '../../src/spi/rule.ts';

/**
 * A bare number: it knows no owners and no leases. Who has taken what is known to the model alone, which is what makes it
 * see that a copy was counted.
 */
export interface CounterState {
  readonly fence: number;
  /** Undefined while there is none. */
  readonly free: number | undefined;
  /** Java can give the number itself a time. */
  readonly until: number;
  readonly taken: Readonly<Record<OwnerId, { readonly permits: number; readonly fence: number }>>;
}

/** The number as it is now. */
export function counted(state: CounterState, { now }: Pick<Facts, 'now'>): CounterState {
  return state.until > now ? state : { ...state, free: undefined, until: Infinity };
}
