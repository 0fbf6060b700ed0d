import { expect, test } from 'vitest';
import { mapPage } from './list-page.js';

test('a page continues at the same position when its rows are transformed', () => {
  const next = { at: new Date('2026-03-01T12:00:00.123Z'), id: '3f8c1b1e-6a43-4f0e-9a43-0d8a6c1c5b7e' };
  const page = { rows: [1, 2], total: 7, next };
  expect(mapPage(page, String)).toEqual({ rows: ['1', '2'], total: 7, next });
});
