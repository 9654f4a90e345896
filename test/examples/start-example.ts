import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { CliProcess } from '../cli/cli-process.ts';
import { setWarden } from '../fixtures/processes/warden.ts';

/** Starts a program of `examples/` as a user would, and ends it with the test. `npm test` compiles it. */
export function startExample(
  name: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): CliProcess {
  const program = fileURLToPath(new URL(`../../.build/programs/examples/${name}.js`, import.meta.url));
  const example = new CliProcess(process.execPath, [program, ...words], { env });
  const warden = setWarden(example.pid);
  void example.ended.then(() => warden.release());
  onTestFinished(async () => {
    example.kill('SIGKILL');
    await example.ended;
  });
  return example;
}
