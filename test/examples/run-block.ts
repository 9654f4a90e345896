import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CodeBlock, expectedOutput } from './code-blocks.ts';
import { root } from './documents.ts';
import { printedLines } from './printed-lines.ts';

const run = promisify(execFile);

/** A folder for the examples of one test file; in the repository, so that `holdfast` means this very package. */
export class ExampleFolder {
  readonly path: string;

  /** @param name apart from that of every other test file; two runs may be under way at once. */
  constructor(name: string) {
    this.path = join(root, '.build', `${name}-${process.pid}`);
    mkdirSync(this.path, { recursive: true });
  }

  fileOf({ at, language }: CodeBlock): string {
    return join(this.path, `${at.replaceAll(/[/:]/g, '_')}.${language === 'js' ? 'mjs' : language}`);
  }

  write(block: CodeBlock): string {
    const file = this.fileOf(block);
    writeFileSync(file, block.code);
    return file;
  }

  /** Runs the example. Answers with the lines that its comments promise and that it did not print. */
  async missingLines(block: CodeBlock): Promise<readonly string[]> {
    let lines: readonly string[];
    try {
      lines = await this.#outputOf(block);
    } catch (error) {
      throw new Error(`the example at ${block.at} fails: ${String(error)}`, { cause: error });
    }
    const printed = `${block.at} printed ${JSON.stringify(lines)}`;
    return missing(expectedOutput(block), lines).map((line) => `${line}: ${printed}`);
  }

  async #outputOf(block: CodeBlock): Promise<readonly string[]> {
    const file = this.write(block);
    if (block.language !== 'ts') {
      const { stdout } = await run(process.execPath, [file], { cwd: this.path, encoding: 'utf8' });
      return stdout.split('\n');
    }
    return printedLines(file);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The expected lines that are missing, looked for in their order among the others. */
function missing(expected: readonly string[], lines: readonly string[]): readonly string[] {
  let from = 0;
  return expected.filter((line) => {
    const found = lines.indexOf(line, from);
    from = found === -1 ? from : found + 1;
    return found === -1;
  });
}
