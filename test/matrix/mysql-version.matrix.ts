import { expect, test } from 'vitest';
import { checkUp } from '../../src/engines/mysql/check-up.ts';
import type { Finding } from '../../src/spi/engine/finding.ts';
import { startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';

describeWith('mariadb')('the server of this run', () => {
  test('is a MySQL and no MariaDB, and doctor finds it fit', async () => {
    await using server = await startMariadb();
    const findings: Finding[] = [];
    for await (const finding of checkUp(server.url)) findings.push(finding);
    const { found } = findings.find(({ about }) => about === 'version')!;
    expect(found).toMatch(/^(8\.[1-9]|8\.0\.|9\.|[1-9]\d\.)/);
    expect(found).not.toMatch(/MariaDB/i);
    expect(findings.filter(({ level }) => level === 'bad')).toEqual([]);
    process.stderr.write(`MySQL ${found}\n`);
  }, 60_000);
});
