/** Where a published test of another library is asserted here: a file and the title of a test in it. */
interface Asserted {
  readonly file: string;
  readonly title: string;
}

/** The answer for one published test: where it is asserted, or why it does not apply. */
export type Answer = readonly Asserted[] | { readonly not: string };

/** For each class of a library's tests, its tests by name. */
export type PublishedTests = Readonly<Record<string, Readonly<Record<string, Answer>>>>;

export const at =
  (file: string) =>
  (title: string): readonly Asserted[] => [{ file, title }];

export const not = (reason: string): Answer => ({ not: reason });

/** The table of a page of docs/wire, row by row. */
export function publishedRows(published: PublishedTests): readonly string[] {
  return Object.entries(published).flatMap(([group, tests]) =>
    Object.entries(tests).map(([name, answer]) => `| ${group} | ${name} | ${shown(answer)} |`),
  );
}

function shown(answer: Answer): string {
  if ('not' in answer) return `does not apply: ${answer.not}`;
  return answer.map(({ file, title }) => `\`${file}\`: ${title}`).join('; ');
}
