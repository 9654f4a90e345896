import type { Library } from '../../library.ts';
import { bareLibsql, bareMysql2, barePg } from './bare.ts';
import {
  holdfastFairMysql2,
  holdfastFairPg,
  holdfastLibsql,
  holdfastMysql2,
  holdfastPg,
  holdfastSemaphoreMysql2,
} from './holdfast.ts';
import { properLockfile, properLockfileFast } from './proper-lockfile.ts';
import { verrouFastMysql2, verrouFastPg, verrouMysql2, verrouPg } from './verrou.ts';

/** Every library in every setting. */
export const sqlLibraries: readonly Library[] = [
  barePg,
  bareMysql2,
  bareLibsql,
  holdfastPg,
  holdfastFairPg,
  holdfastMysql2,
  holdfastFairMysql2,
  holdfastSemaphoreMysql2,
  holdfastLibsql,
  verrouPg,
  verrouFastPg,
  verrouMysql2,
  verrouFastMysql2,
  properLockfile,
  properLockfileFast,
];
