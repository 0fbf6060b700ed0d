import { describe, expect, test } from 'vitest';
import { newRowId } from './row-id.js';

const now = new Date('2026-01-02T03:04:05.678Z');

describe('row ids', () => {
  test('are uuids of version 7 that begin with their millisecond', () => {
    const id = newRowId(now);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now.getTime());
  });

  test('rise within one millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => newRowId(now));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('rise from millisecond to millisecond', () => {
    const ids = Array.from({ length: 1000 }, (_, ms) => newRowId(new Date(now.getTime() + ms)));
    expect(ids.toSorted()).toEqual(ids);
  });
});
