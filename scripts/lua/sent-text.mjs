/**
 * What of a script is sent to the server, and is in both builds of the package: without comments and indentation, a third less. Each
 * line stays a line, so that the place which Redis names in an error is that of the file.
 * @param {string} source
 */
export function sentText(source) {
  return source
    .split('\n')
    .map((line) => (/^\s*--/.test(line) ? '' : line.trim()))
    .join('\n');
}
