/**
 * What a server gets of a script: all but the comments between its lines, which would be a third of what the package carries
 * of it, twice. The header stays, for the operator that finds the script on a server, and each line keeps its number: errors name it.
 *
 * @param {string} source
 */
export function sentText(source) {
  const lines = source.split('\n');
  const code = lines.findIndex((line, at) => at > 0 && !line.startsWith('--'));
  return lines.map((line, at) => (at >= code && /^\s*--/.test(line) ? '' : line)).join('\n');
}
