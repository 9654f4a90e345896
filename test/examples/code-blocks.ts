/** One fenced block of code in the documentation. */
export interface CodeBlock {
  /** Where it starts, for example `README.md:12`. */
  readonly at: string;
  /** `ts` runs on the sources, `js` and `cjs` run in Node on what is published. */
  readonly language: 'ts' | 'js' | 'cjs';
  /** What is said after the language: `no-run` and why, or the server that it runs on, `on-redis`. */
  readonly remark: string;
  /** The code with as many empty lines before it as there are in the document, so that line numbers agree. */
  readonly code: string;
}

const FENCE = /^```(\S*) *(.*)$/;

/** All blocks of a page, or of the comments of a source file, that can be run. */
export function codeBlocks(path: string, text: string): readonly CodeBlock[] {
  const isSource = path.endsWith('.ts');
  const lines = text.split('\n').map((line) => (isSource ? uncommented(line) : line));
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = FENCE.exec(lines[at] ?? '');
    if (opening === null) continue;
    const end = lines.findIndex((line, after) => after > at && line === '```');
    if (end === -1) throw new SyntaxError(`${path}:${at + 1}: this block of code does not end`);
    const [, language = '', remark = ''] = opening;
    if (language === 'ts' || language === 'js' || language === 'cjs') {
      const code = '\n'.repeat(at + 1) + lines.slice(at + 1, end).join('\n');
      blocks.push({ at: `${path}:${at + 1}`, language, remark, code: `${code}\n` });
    }
    at = end;
  }
  return blocks;
}

/** A line of a doc comment without its star; anything else is no documentation. */
function uncommented(line: string): string {
  return /^\s*\* ?(?!\/)(.*)$/.exec(line)?.[1] ?? '';
}

/** What the block says it prints: the comments behind its `console.log`. */
export function expectedOutput({ code }: CodeBlock): readonly string[] {
  return code.split('\n').flatMap((line) => /console\.log\(.*\);? \/\/ (.+)$/.exec(line)?.[1] ?? []);
}
