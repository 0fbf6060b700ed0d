import { expect, test } from 'vitest';
import { createKnownChecks, type KnownCheck } from './known-checks.store.js';

const checkOf = (uuid: string) => ({ uuid }) as KnownCheck;

/** Pings these checks in turn; returns how many of them were not known. */
function pingInTurn(known: ReturnType<typeof createKnownChecks>, uuids: readonly string[]): number {
  const unknown = uuids.filter((uuid) => known.get(uuid) === undefined);
  for (const uuid of unknown) known.add(checkOf(uuid));
  return unknown.length;
}

const named = (count: number) => Array.from({ length: count }, (_, place) => `check ${place}`);

test('finds almost all checks in every round if there are slightly more than its limit', () => {
  const known = createKnownChecks(500);
  for (const uuid of named(600)) pingInTurn(known, [uuid]);
  for (let round = 0; round < 5; round += 1) {
    const unknown = named(600).reduce((sum, uuid) => sum + pingInTurn(known, [uuid]), 0);
    expect(unknown).toBeLessThanOrEqual(150);
  }
});

test('removes the checks with the oldest last ping', () => {
  const known = createKnownChecks(50);
  pingInTurn(known, named(50));
  const often = named(10);
  for (let other = 0; other < 1000; other += 1) {
    pingInTurn(known, [`other ${other}`]);
    expect(pingInTurn(known, often)).toBe(0);
  }
  expect(pingInTurn(known, named(50))).toBe(40);
});

test('replaces a stored check, and removes it on request', () => {
  const known = createKnownChecks(1);
  known.add(checkOf('a'));
  const other = checkOf('a');
  known.add(other);
  expect(known.get('a')).toBe(other);
  known.forget('a');
  expect(known.get('a')).toBeUndefined();
});
