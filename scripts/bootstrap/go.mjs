import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from './fingerprint.mjs';
import { isOnPath, root, run, say, succeeds } from './run.mjs';

/** The etcd that the matrix runs against beside Debian's. A newer one is a decision, not an accident: its own Go may be newer too. */
const ETCD_VERSION = 'v3.7.3';

/** The program that the tests beside etcd's own Go packages start, see test/interop/go. */
export function buildGoPrograms() {
  if (!goIsThere('The tests beside Go on etcd')) return;
  const sources = 'test/interop/go/etcd';
  const output = '.build/interop-go';
  makeOnce({ stamp: '.build/interop-go.stamp', output, inputs: [sources] }, () => {
    say('building the Go program (once; the first time a minute or two, for what it depends on) …');
    fs.rmSync(join(root, output), { recursive: true, force: true });
    if (
      succeeds(
        'go',
        ['build', '-buildvcs=false', '-p', '1', '-o', join(root, output, 'etcd-clients'), '.'],
        sources,
      )
    )
      return;
    goWithout('The Go program was not built, see above.');
  });
}

/** A current etcd with its `etcdctl`, built from its Go modules. */
export function buildEtcd() {
  if (process.env['HOLDFAST_ETCD'] || !goIsThere('The tests on a current etcd')) return;
  const output = '.build/etcd';
  makeOnce({ stamp: '.build/etcd.stamp', output, inputs: ['scripts/bootstrap/go.mjs'] }, () => {
    say(`building etcd ${ETCD_VERSION} (once; some minutes) …`);
    const folder = join(root, output);
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(join(folder, 'go.mod'), 'module local/etcd\n\ngo 1.24\n');
    const modules = ['server', 'etcdctl'].map((name) => `go.etcd.io/etcd/${name}/v3`);
    if (!succeeds('go', ['get', ...modules.map((name) => `${name}@${ETCD_VERSION}`)], output))
      return goWithout(`etcd ${ETCD_VERSION} was not fetched, see above.`);
    for (const [at, program] of ['etcd', 'etcdctl'].entries()) {
      const flags = ['-mod=mod', '-buildvcs=false', '-trimpath', '-p', '1', '-ldflags', '-s -w'];
      run('go', ['build', ...flags, '-o', join(folder, 'bin', program), modules[at] ?? ''], output);
    }
  });
}

/** @param {string} what is skipped without Go */
function goIsThere(what) {
  if (isOnPath('go')) return true;
  goWithout(
    `There is no Go here. ${what} need one (1.21 or newer, which fetches the version that it is asked for).`,
  );
  return false;
}

/**
 * As with a missing server: it may cost its tests, but not where the run decides about a merge.
 * @param {string} why
 */
function goWithout(why) {
  if (process.env['CI']) throw new Error(why);
  say(`${why} Those tests will be skipped.`);
}
