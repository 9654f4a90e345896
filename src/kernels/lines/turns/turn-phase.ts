/**
 * `new`: without a ticket. `joining`: a request may make one. `waiting`: the tickets ahead are watched, or about to be. `in`: it
 * holds. `left`: its owner has given it up. `ended`: the ticket is gone.
 */
export type TurnPhase = 'new' | 'joining' | 'waiting' | 'in' | 'left' | 'ended';
