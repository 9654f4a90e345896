import { createCipheriv } from 'node:crypto';
import { systemRandom } from '../../../core/time/clock.ts';
import { CLIENT_DIGITS } from '../keys.ts';

/** Half of the number of a permit: six hexadecimal digits. */
const HALF = 2 ** 24;
/** From four on, a Feistel network over a secret function is not told from a random permutation (Luby and Rackoff). */
const ROUNDS = 4;

const cipher = createCipheriv('aes-128-ecb', Buffer.from(systemRandom.id(), 'hex'), null);
let lastPermit = 0;

/**
 * The id of a permit of this library: digits of its client, by which its holder is found, twelve digits that no other permit of the
 * process has (soundness 1), and four that count the permits that are taken together.
 *
 * The tempting alternative for the twelve is the plain count. The digits of the client can be read in the store, so one id would
 * tell all others, and an id is the right to release its permit. Random digits cannot be guessed, but 48 bits of them repeat:
 * after 17 million permits, more likely than not. So they are the count, enciphered with a key that never leaves the process.
 */
export function newPermitId(client: string): string {
  const number = enciphered(++lastPermit).toString(16).padStart(12, '0');
  return `${client.slice(0, CLIENT_DIGITS)}${number}0000`;
}

/** A permutation of the numbers below 2^48. */
function enciphered(number: number): number {
  let [left, right] = [Math.floor(number / HALF), number % HALF];
  for (let round = 0; round < ROUNDS; round++) [left, right] = [right, left ^ mixed(round, right)];
  return left * HALF + right;
}

function mixed(round: number, half: number): number {
  const block = Buffer.alloc(16);
  block.writeUInt32BE(round, 0);
  block.writeUInt32BE(half, 4);
  return cipher.update(block).readUIntBE(0, 3);
}
