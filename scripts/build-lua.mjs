// Writes src/engines/redis/scripts.generated.ts from the Lua files beside it: `node scripts/build-lua.mjs`.
// With --check it writes nothing and fails if the module is not what the files say.
// The header of each file is parsed, so that a call is typed: a key or argument that is forgotten, misspelt or
// passed in the wrong place does not compile. The copies of the fence block are compared, and a copy that drifted is refused.
// --drifting leaves that out, for `npm run mutants`: a fault planted in one copy must be found by the tests.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { fenceFaults } from './lua/fence-blocks.mjs';
import { sentText } from './lua/sent-text.mjs';
import { expressionOf, sharedRuns } from './lua/shared-runs.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'src/engines/redis/scripts');
const output = join(root, 'src/engines/redis/scripts.generated.ts');

/** @typedef {{ name: string, many: boolean, type: string }} Parameter */

/**
 * @param {string} file
 * @param {string[]} header
 * @param {string} label
 */
function line(file, header, label) {
  const found = header.filter((one) => one.startsWith(`${label}:`));
  if (found.length !== 1) throw new Error(`${file}: expected one line "-- ${label}:" in the header`);
  return found[0]?.slice(label.length + 1).trim() ?? '';
}

/**
 * @param {string} file
 * @param {string} text
 * @param {(type: string | undefined) => string} typeOf
 * @returns {Parameter[]}
 */
function parameters(file, text, typeOf) {
  if (text === '') return [];
  return text.split(',').map((part) => {
    const match = /^\s*([a-z][A-Za-z]*)(\*?)(?:\s*:\s*([a-z]+))?\s*$/.exec(part);
    if (match === null) throw new Error(`${file}: cannot read the parameter "${part.trim()}"`);
    const [, name = '', star, type] = match;
    return { name, many: star === '*', type: typeOf(type) };
  });
}

/** @param {string} path */
function parse(path) {
  const file = basename(path);
  const source = fs.readFileSync(path, 'utf8');
  const [shebang = '', ...rest] = source.split('\n');
  if (!/^#!lua( flags=[a-z,-]+)?$/.test(shebang)) throw new Error(`${file}: the first line must be #!lua`);
  const header = rest
    .slice(
      0,
      rest.findIndex((one) => !one.startsWith('--')),
    )
    .map((one) => one.slice(2).trim());
  const mirrors = line(file, header, 'mirrors');
  const returns = line(file, header, 'returns');
  const keys = parameters(file, line(file, header, 'KEYS'), (type) => {
    if (type !== undefined) throw new Error(`${file}: keys have no type`);
    return 'string';
  });
  const args = parameters(file, line(file, header, 'ARGV'), (type) => {
    if (type === 'integer') return 'number';
    if (type === 'string') return 'string';
    throw new Error(`${file}: arguments are of type integer or string`);
  });
  const labels = ['mirrors', 'KEYS', 'ARGV', 'returns'];
  const what = header.filter((one) => !labels.some((label) => one.startsWith(`${label}:`))).join('\n * ');
  const name = file.replace('.lua', '').replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
  const sent = sentText(source);
  const sha = createHash('sha1').update(sent).digest('hex');
  return { file, name, source, sent, sha, keys, args, what, mirrors, returns };
}

/** @param {Parameter[]} list */
function members(list) {
  return list
    .map(({ name, many, type }) => `readonly ${name}: ${many ? `readonly ${type}[]` : type};`)
    .join(' ');
}

/**
 * @param {Parameter[]} list
 * @param {string} from
 */
function values(list, from) {
  return list.map(({ name, many, type }) => {
    const value = `${from}.${name}`;
    if (many) return type === 'number' ? `...${value}.map(String)` : `...${value}`;
    return type === 'number' ? `String(${value})` : value;
  });
}

/**
 * @param {ReturnType<typeof parse>} script
 * @param {string} text what is sent of it, as an expression
 */
function emitted({ name, sha, keys, args, what, mirrors, returns }, text) {
  const takes = [
    ...(keys.length > 0 ? [`keys: { ${members(keys)} }`] : []),
    ...(args.length > 0 ? [`args: { ${members(args)} }`] : []),
  ].join(', ');
  const many = keys.find((key) => key.many);
  const count = many === undefined ? `'${keys.length}'` : `String(keys.${many.name}.length)`;
  const parts = [`'EVALSHA'`, `'${sha}'`, count, ...values(keys, 'keys'), ...values(args, 'args')].join(', ');
  return `/**
 * ${what}
 *
 * Mirrors ${mirrors}. Answers ${returns}.
 */
export const ${name} = script(${text}, (${takes}) => [${parts}]);
`;
}

async function generate() {
  const files = fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.lua'))
    .toSorted();
  const scripts = files.map((name) => parse(join(folder, name)));
  const faults = process.argv.includes('--drifting') ? [] : fenceFaults(scripts);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const { texts, runs } = sharedRuns(scripts.map(({ sent }) => sent));
  // The last first: a run may contain those after it.
  const shared = runs.map((run, at) => `const shared${at} = ${expressionOf(run)};`).toReversed();
  const text = `// Written by scripts/build-lua.mjs from scripts/*.lua: change those, and run it.
import { script } from './requests/script.ts';

// Lines that several scripts have.
${shared.join('\n')}

${scripts.map((script, at) => emitted(script, expressionOf(texts[at] ?? []))).join('\n')}`;
  return format(text, { ...(await resolveConfig(output)), filepath: output });
}

const wanted = await generate();
if (!process.argv.includes('--check')) fs.writeFileSync(output, wanted);
else if (!fs.existsSync(output) || fs.readFileSync(output, 'utf8') !== wanted) {
  process.stderr.write(
    'scripts.generated.ts is not what the Lua files say: run node scripts/build-lua.mjs\n',
  );
  process.exitCode = 1;
}
