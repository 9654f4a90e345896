import { expect, test } from 'vitest';
import { sentText } from '../../scripts/lua/sent-text.mjs';
import { scriptSources } from '../model/script-sources.ts';

test('a script is sent without comments, each line in its place', () => {
  const source = "#!lua flags=no-writes\n-- What it does.\nif a then\n  -- Why.\n  return '--'\nend\n";
  expect(sentText(source)).toBe("#!lua flags=no-writes\n\nif a then\n\nreturn '--'\nend\n");
});

test('no script has a text or a comment over several lines, nor a comment behind code: none would be sent as it is', () => {
  for (const { name, source, sent } of scriptSources) {
    expect(source, name).not.toMatch(/\[=*\[|\\\n|\\z/);
    expect(sent, name).not.toMatch(/--(?!')/);
    expect(sent.split('\n').length, name).toBe(source.split('\n').length);
  }
});
