/** A name as PostgreSQL and SQLite take it, whatever is in it. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name as MySQL and MariaDB take it. */
export function backquotedName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}
