import { writeSync } from 'node:fs';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';

/**
 * Ends the output of a test run with one plain line, `N passed, N failed`, and before it a line for each failure: of ten
 * thousand cases the one that failed is otherwise looked for in the middle of what may have been cut off.
 *
 * It is printed as the process exits and not at the end of the run: only then is the exit code known, and a run
 * that fails for a reason outside any test (an unhandled rejection, a file that cannot be imported, no test
 * found) must not close with "0 failed".
 */
export class ClosingLineReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  #skipped = 0;
  #failures: string[] = [];

  onInit(): void {
    process.once('exit', (code) => writeSync(1, `${[...this.#failures, this.#line(code)].join('\n')}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    this.#passed = 0;
    this.#failed = unhandled.length;
    this.#skipped = 0;
    this.#failures = unhandled.map((error) => failureLine('outside any test', [error]));
    for (const module of modules) this.#count(module);
  }

  #count(module: TestModule): void {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') this.#passed += 1;
      else if (state === 'skipped') this.#skipped += 1;
      else this.#fail(module, test);
    }
    for (const part of [module, ...module.children.allSuites()])
      if (part.errors().length > 0) this.#fail(module, part);
  }

  #fail(module: TestModule, part: TestCase | TestModule | TestSuite): void {
    this.#failed += 1;
    const errors = part.type === 'test' ? part.result().errors : part.errors();
    const title = part.type === 'module' ? 'the file itself' : part.fullName;
    this.#failures.push(failureLine(`${module.relativeModuleId} > ${title}`, errors ?? []));
  }

  #line(exitCode: number): string {
    const failed = exitCode === 0 ? this.#failed : Math.max(this.#failed, 1);
    const skipped = this.#skipped > 0 ? `, ${this.#skipped} skipped` : '';
    return `${this.#passed} passed, ${failed} failed${skipped}`;
  }
}

function failureLine(where: string, errors: readonly unknown[]): string {
  const [error] = errors;
  const message = error instanceof Object && 'message' in error ? String(error.message) : String(error);
  return `failed: ${where}: ${message.split('\n', 1)[0]}`;
}
