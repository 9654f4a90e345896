import { quorumLock, type QuorumOptions } from '../../index.ts';
import { composedCases, type ComposedKinds } from '../cases/composed/composed-cases.ts';
import { majorityCases } from '../cases/composed/majority-cases.ts';
import { memberCases } from '../cases/composed/member-cases.ts';
import { quorumFenceCases } from '../cases/composed/quorum-fence-cases.ts';
import { LONGEST_LEASE_UNITS, members } from '../cases/composed/quorum-members.ts';
import { quorumRenewalCases } from '../cases/composed/quorum-renewal-cases.ts';
import { lateMemberCases, silentMajorityCases } from '../cases/composed/silent-member-cases.ts';
import { type BadArgument, assertThrowsArgument } from '../harness/coded-error.ts';
import { type Cases, suiteOf } from './suite.ts';
export { LONGEST_LEASE_UNITS } from '../cases/composed/quorum-members.ts';

const BAD_OPTIONS: readonly BadArgument[] = [
  { given: 3, error: TypeError, names: /options must be an object, not 3/ },
  {
    given: { quorum: 2 },
    error: TypeError,
    names: /no option "quorum"; known are memberTimeoutMs, longestLeaseMs/,
  },
  { given: { memberTimeoutMs: 0 }, error: RangeError, names: /memberTimeoutMs must be from/ },
  { given: { memberTimeoutMs: '5' }, error: TypeError, names: /memberTimeoutMs must be a number/ },
  { given: { longestLeaseMs: -1 }, error: RangeError, names: /longestLeaseMs must be from/ },
  { given: { longestLeaseMs: NaN }, error: RangeError, names: /longestLeaseMs must be from/ },
];

const argumentCases: Cases<ComposedKinds> = {
  'bad options of the quorum are refused by throwing': async (bench) => {
    const locks = await members(bench);
    for (const bad of BAD_OPTIONS)
      assertThrowsArgument(bad, () => quorumLock(locks, bad.given as QuorumOptions));
  },
};

/** A lock on a majority. */
export const quorumLockSuite = suiteOf<ComposedKinds>(
  'quorumLock',
  composedCases(async (bench) =>
    quorumLock(await members(bench), { longestLeaseMs: LONGEST_LEASE_UNITS * bench.unit }),
  ),
  memberCases('quorumLock', quorumLock),
  majorityCases,
  lateMemberCases,
  silentMajorityCases,
  quorumFenceCases,
  quorumRenewalCases,
  argumentCases,
);
