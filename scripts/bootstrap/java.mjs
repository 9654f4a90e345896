import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from './fingerprint.mjs';
import { installDebianPackages } from './debian.mjs';
import { isOnPath, root, say, succeeds } from './run.mjs';

/** What the real Java libraries are built and run with. */
export function installJava() {
  if (javaIsThere()) return;
  installDebianPackages(['openjdk-17-jdk-headless', 'maven']);
  if (!javaIsThere()) goWithoutJava('There is no JDK with Maven here: `javac`, `java` and `mvn` are needed.');
}

/**
 * The programs that the tests beside real Java libraries start, see test/interop/java. Built from a copy: Maven writes
 * beside its sources.
 */
export function buildJavaPrograms() {
  if (!javaIsThere()) return;
  const sources = 'test/interop/java';
  const output = '.build/interop';
  makeOnce({ stamp: '.build/interop.stamp', output, inputs: [sources] }, () => {
    say('building the Java programs (once; the first time a minute, for what they depend on) …');
    fs.rmSync(join(root, output), { recursive: true, force: true });
    fs.cpSync(join(root, sources), join(root, output), { recursive: true });
    const quietly = ['--batch-mode', '--quiet', '--no-transfer-progress', '-Dmaven.test.skip=true'];
    if (succeeds('mvn', [...quietly, 'package'], output)) return;
    fs.rmSync(join(root, output), { recursive: true, force: true });
    goWithoutJava('The Java programs were not built, see above.');
  });
}

/** The ZooKeeper of test/fixtures/zookeeper/pom.xml, for the tests that run against a second version. */
export function fetchZooKeeper() {
  if (!javaIsThere()) return;
  const sources = 'test/fixtures/zookeeper/pom.xml';
  const output = '.build/zookeeper';
  makeOnce({ stamp: '.build/zookeeper.stamp', output, inputs: [sources] }, () => {
    say('fetching ZooKeeper from Maven Central (once; 20 MB) …');
    fs.rmSync(join(root, output), { recursive: true, force: true });
    fs.mkdirSync(join(root, output), { recursive: true });
    fs.cpSync(join(root, sources), join(root, output, 'pom.xml'));
    const quietly = ['--batch-mode', '--quiet', '--no-transfer-progress'];
    const copy = ['dependency:copy-dependencies', '-DoutputDirectory=lib', '-DincludeScope=runtime'];
    if (succeeds('mvn', [...quietly, ...copy], output)) return;
    fs.rmSync(join(root, output), { recursive: true, force: true });
    goWithoutJava('ZooKeeper was not fetched, see above.');
  });
}

function javaIsThere() {
  return ['java', 'javac', 'mvn'].every(isOnPath);
}

/**
 * As with a missing server: it may cost its tests, but not where the run decides about a merge.
 * @param {string} why
 */
function goWithoutJava(why) {
  if (process.env['CI']) throw new Error(why);
  say(`${why} The tests beside real Java libraries will be skipped.`);
}
