import { servedClasses } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { type AddressState, failsAt, isWell, stateAfter } from './address-state.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 1) + seconds * 1000);
const before = (found: AddressState['class'], failingSince: Date | null, misses = 0): AddressState => ({
  class: found,
  since: at(0),
  failingSince,
  misses,
});
const seen = (found: AddressState['class'], replacedAt?: Date) => ({
  class: found,
  observedAt: at(100),
  replacedAt,
});

test.each<[string, AddressState | undefined, ReturnType<typeof seen>, AddressState]>([
  [
    'a first good one',
    undefined,
    seen('current'),
    { class: 'current', since: at(100), failingSince: null, misses: 0 },
  ],
  [
    'a first fault',
    undefined,
    seen('foreign'),
    { class: 'foreign', since: at(100), failingSince: at(100), misses: 0 },
  ],
  [
    'the same fault',
    before('foreign', at(0)),
    seen('foreign'),
    { class: 'foreign', since: at(0), failingSince: at(0), misses: 0 },
  ],
  [
    'another fault',
    before('stale', at(-50)),
    seen('expired'),
    { class: 'expired', since: at(100), failingSince: at(-50), misses: 0 },
  ],
  [
    'a stale one, from when the next was stored',
    before('previous', null),
    seen('stale', at(-3600)),
    { class: 'stale', since: at(100), failingSince: at(-3600), misses: 0 },
  ],
  [
    'recovery',
    before('foreign', at(0)),
    seen('current'),
    { class: 'current', since: at(100), failingSince: null, misses: 0 },
  ],
  [
    'a first miss',
    before('current', null),
    seen('unreachable'),
    { class: 'unreachable', since: at(100), failingSince: at(100), misses: 1 },
  ],
  [
    'a third miss',
    before('unreachable', at(0), 2),
    seen('unreachable'),
    { class: 'unreachable', since: at(0), failingSince: at(0), misses: 3 },
  ],
  [
    'a fourth miss',
    before('unreachable', at(0), 3),
    seen('unreachable'),
    { class: 'unreachable', since: at(0), failingSince: at(0), misses: 3 },
  ],
])('goes on with %s', (_, last, judged, expected) => {
  expect(stateAfter(last, judged)).toEqual(expected);
});

test.each<[AddressState['class'], Date | null, number, Date | undefined]>([
  ['current', null, 0, undefined],
  ['previous', null, 0, undefined],
  ['foreign', at(0), 0, at(60)],
  ['unreachable', at(0), 2, undefined],
  ['unreachable', at(0), 3, at(60)],
])('lets %s since %s with %d misses fail at %s', (found, failingSince, misses, expected) => {
  expect(failsAt({ class: found, failingSince, misses }, 60)).toEqual(expected);
});

test('counts two classes as good', () => {
  expect(servedClasses.filter(isWell)).toEqual(['current', 'previous']);
});
