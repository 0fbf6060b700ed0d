import { describe, expect, test } from 'vitest';
import { suggestedWindow } from './renewal-window.js';

describe('suggestedWindow', () => {
  const notBefore = new Date('2026-01-01T00:00:00Z');
  test.each([
    ['90 days', '2026-04-01T00:00:00Z', '2026-03-02T00:00:00.000Z', '2026-03-03T19:12:00.000Z'],
    ['10 seconds', '2026-01-01T00:00:10Z', '2026-01-01T00:00:06.666Z', '2026-01-01T00:00:06.866Z'],
    ['1 second', '2026-01-01T00:00:01Z', '2026-01-01T00:00:00.666Z', '2026-01-01T00:00:00.686Z'],
  ])('lies within a validity of %s', (_, notAfter, start, end) => {
    expect(suggestedWindow({ notBefore, notAfter: new Date(notAfter) }, undefined)).toEqual({
      start: new Date(start),
      end: new Date(end),
    });
  });

  test('of a revoked certificate has just passed', () => {
    const at = new Date('2026-01-02T00:00:00Z');
    const window = suggestedWindow({ notBefore, notAfter: new Date('2026-04-01T00:00:00Z') }, at);
    expect(window).toEqual({ start: new Date('2026-01-01T23:59:59Z'), end: at });
  });
});
