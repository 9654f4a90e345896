import { writeSync } from 'node:fs';
import type { Reporter, TestModule, TestSuite } from 'vitest/node';

/**
 * Ends the output of a test run with one plain line, `N passed, N failed`.
 *
 * It is printed as the process exits and not at the end of the run: only then is the exit code known, and a run
 * that fails for a reason outside any test (an unhandled rejection, a file that cannot be imported, no test
 * found) must not close with "0 failed".
 */
export class ClosingLineReporter implements Reporter {
  #passed = 0;
  #failed = 0;
  #skipped = 0;

  onInit(): void {
    process.once('exit', (code) => writeSync(1, `${this.#line(code)}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    this.#passed = 0;
    this.#failed = unhandled.length;
    this.#skipped = 0;
    for (const module of modules) this.#count(module);
  }

  #count(module: TestModule): void {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') this.#passed += 1;
      else if (state === 'skipped') this.#skipped += 1;
      else this.#failed += 1;
    }
    this.#failed += [module, ...module.children.allSuites()].filter(brokenOutsideItsTests).length;
  }

  #line(exitCode: number): string {
    const failed = exitCode === 0 ? this.#failed : Math.max(this.#failed, 1);
    const skipped = this.#skipped > 0 ? `, ${this.#skipped} skipped` : '';
    return `${this.#passed} passed, ${failed} failed${skipped}`;
  }
}

function brokenOutsideItsTests(part: TestModule | TestSuite): boolean {
  return part.errors().length > 0;
}
