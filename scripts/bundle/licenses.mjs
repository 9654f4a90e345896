import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './entries.mjs';

/**
 * The license of each package whose code is in a file, as a comment: most of them demand that it goes along.
 * @param {readonly string[]} modules
 * @param {readonly { name: string, folder: string }[]} others whose licenses go along as well
 */
export function licensesOf(modules, others = []) {
  const folders = new Set(
    modules.flatMap((id) => /^(?:\0)?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []),
  );
  const packages = [
    ...others,
    ...[...folders].toSorted().map((folder) => ({ name: nameOf(folder), folder })),
  ];
  return packages.map(({ name, folder }) => `/*! ${name}\n\n${licenseIn(folder)}\n*/`).join('\n');
}

/** @param {string} folder */
function nameOf(folder) {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}

/** @param {string} folder */
function licenseIn(folder) {
  const file = readdirSync(folder).find((name) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(name));
  if (file !== undefined) return readFileSync(join(folder, file), 'utf8').replaceAll('*/', '* /').trim();
  // A package of a repository with several: the license is that of its manifest.
  const { license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${relative(root, folder)} names no license`);
  return `License: ${license}${author === undefined ? '' : `, ${author.name ?? author}`}`;
}
