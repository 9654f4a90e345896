import { inMarkdown } from './escaped.ts';
import type { Picture } from './picture.ts';

/** Beside the page there is a folder of pictures. */
export function imageOf({ file, title }: Picture): string {
  return `![${inMarkdown(title)}](pictures/${file})`;
}
