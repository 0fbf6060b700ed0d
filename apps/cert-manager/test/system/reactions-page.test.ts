import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reactions } from '../../src/changes/reactions.service.js';

const page = readFileSync(new URL('../../../../../docs/architecture.md', import.meta.url), 'utf8');

test('docs/architecture.md lists for each event what follows, in its order', () => {
  const start = page.indexOf('| Event | What follows, in this order |');
  const lines = page.slice(start).split('\n').slice(2);
  const rows = lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('|')),
  );
  const listed = rows.map((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(listed).toEqual(
    Object.entries(reactions).map(([event, list]) => [event, ...list.map(({ name }) => name)]),
  );
});
