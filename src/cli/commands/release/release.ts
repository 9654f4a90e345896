import { createInterface } from 'node:readline/promises';
import type { Description, Expected, HolderSighting } from '../../../spi/engine/inspector.ts';
import type { Command, GivenArguments } from '../command.ts';
import { holderName } from '../../../spi/holder-name.ts';
import { showDuration } from '../../duration.ts';
import { EXIT } from '../../exit-codes.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { say } from '../../output/output.ts';
import { UsageError } from '../../usage-error.ts';
import { wordOf } from '../../kind-words.ts';
import { lookUp, readKind, readName } from '../../queries/lookup.ts';
import { printable } from '../../queries/sighting-table.ts';
import { withLocks } from '../../queries/with-locks.ts';

/** Whether to ask the user. */
type Consent = { readonly kind: 'given' } | { readonly kind: 'to-be-asked' };

/** What there is to break. */
type Target =
  | { readonly kind: 'free' }
  | { readonly kind: 'another-owner' }
  | { readonly kind: 'several' }
  | { readonly kind: 'hold'; readonly seen: Description; readonly holder: HolderSighting };

/** Breaks the hold that was seen, and no other. */
export const release: Command = (given, address) => {
  const name = readName(given, 'release');
  const expected = readExpected(given);
  const consent = readConsent(given, expected);
  return withLocks(address, async (locks) => {
    const target = targetAmong(await lookUp(locks, name, readKind(given)), expected);
    if (target.kind === 'free') return exitSaying('it is free', EXIT.no);
    if (target.kind === 'another-owner')
      return exitSaying('another owner holds it by now; nothing was done', EXIT.notAcquired);
    if (target.kind === 'several')
      throw new UsageError('several owners hold it: choose one by --owner or --fence.');
    if (consent.kind === 'to-be-asked' && !(await askConsent(target)))
      return exitSaying('nothing was done', EXIT.no);
    return breakHold(locks, target);
  });
};

function readExpected({ options }: GivenArguments): Expected {
  const owner = options.get('owner');
  const fence = options.get('fence');
  if (fence !== undefined && !/^\d{1,20}$/.test(fence)) throw new UsageError('--fence must be a number.');
  return { ...(owner !== undefined && { owner }), ...(fence !== undefined && { fence: BigInt(fence) }) };
}

function readConsent({ options }: GivenArguments, { owner, fence }: Expected): Consent {
  if (options.has('yes')) {
    if (owner === undefined && fence === undefined)
      throw new UsageError(
        'release --yes needs --fence or --owner, as list or inspect has shown it: so it never breaks a newer hold.',
      );
    return { kind: 'given' };
  }
  if (!process.stdin.isTTY)
    throw new UsageError('there is no terminal to ask on. Use --yes with --fence or --owner.');
  return { kind: 'to-be-asked' };
}

function targetAmong(found: readonly Description[], { owner, fence }: Expected): Target {
  const all = found.flatMap((seen) => seen.holders.map((holder) => ({ seen, holder })));
  if (all.length === 0) return { kind: 'free' };
  const [one, more] = all.filter(
    ({ holder }) =>
      (owner === undefined || holder.owner === owner) && (fence === undefined || holder.fence === fence),
  );
  if (one === undefined) return { kind: 'another-owner' };
  return more === undefined ? { kind: 'hold', ...one } : { kind: 'several' };
}

async function askConsent({ seen, holder }: Extract<Target, { kind: 'hold' }>): Promise<boolean> {
  const fence = holder.fence === undefined ? 'no fence' : `fence ${holder.fence}`;
  say(
    `${wordOf(seen.kind)} ${printable(seen.name)} is held by ${printable(holderName(holder))}${ageOf(holder)} (${fence}, ${showDuration(holder.remainingMs)} of the lease left).`,
  );
  say('The holder learns of it at its next renewal, and works on until then, beside the next holder.');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question('Take it away? [y/N] ')).trim());
  } finally {
    terminal.close();
  }
}

function ageOf({ heldForMs }: HolderSighting): string {
  return heldForMs === undefined ? '' : ` for ${showDuration(heldForMs)}`;
}

/** Demands both the owner and the fence that were seen: a new hold may have begun since. */
async function breakHold(
  { inspector }: InspectedLocks,
  { seen, holder: { owner, fence } }: Extract<Target, { kind: 'hold' }>,
): Promise<number> {
  const expected = { owner, ...(fence !== undefined && { fence }) };
  const done = await inspector.forceRelease(seen.kind, seen.name, expected);
  return done
    ? exitSaying('taken away', EXIT.ok)
    : exitSaying('it was given back meanwhile; nothing was done', EXIT.notAcquired);
}

function exitSaying(text: string, exitCode: number): number {
  say(text);
  return exitCode;
}
