import { expect, test } from 'vitest';
import {
  calendarDay,
  calendarMonth,
  countOf,
  dayOf,
  exactTime,
  lengthOf,
  readableTimes,
  relativeTime,
  spanText,
  wholeSentence,
  withMoments,
  writeTimesIn,
} from './times.js';

const now = Date.parse('2026-03-01T12:00:00Z');

test.each([
  [999, 'in a moment'],
  [-999, 'just now'],
  [59_999, 'in 59 seconds'],
  [60_000, 'in 1 minute'],
  [-7_199_999, '1 hour ago'],
  [86_399_999, 'in 23 hours'],
  [11.9 * 86_400_000, 'in 11 days'],
  [-400 * 86_400_000, '400 days ago'],
  [730 * 86_400_000, 'in 2 years'],
])('writes a duration of %i ms as %s', (distance, text) => {
  expect(relativeTime(now + distance, now)).toBe(text);
  expect(relativeTime(new Date(now + distance).toISOString(), now)).toBe(text);
});

test.each([
  [0, '0 names'],
  [1, '1 name'],
  [12_000, '12,000 names'],
])('counts %i as %s', (count, text) => {
  expect(countOf(count, 'name')).toBe(text);
});

test.each([
  [60, '1 minute'],
  [5_400, '1 hour 30 minutes'],
  [90_061, '1 day 1 hour 1 minute 1 second'],
  [0, '0 seconds'],
])('describes a setting of %i seconds', (seconds, text) => {
  expect(spanText(seconds)).toBe(text);
});

test.each([
  [0.25, '0.25 s'],
  [4, '4 s'],
  [42.9, '42 s'],
  [200, '3 min 20 s'],
  [3_600, '1 h'],
  [7_500, '2 h 5 min'],
  [273_600, '3 d 4 h'],
])('describes that something took %f seconds', (seconds, text) => {
  expect(lengthOf(seconds)).toBe(text);
});

test('formats the instants in a sentence, and nothing else of it', () => {
  const at = '2026-03-01T12:00:00.000Z';
  expect(readableTimes(`Renews on ${at}, not 2026-03-01: ${at}.`)).toBe(
    `Renews on ${exactTime(at)}, not 2026-03-01: ${exactTime(at)}.`,
  );
});

test('writes the moments that come with a sentence in the zone of the reader', () => {
  const text = '2026-03-01 14:00:00 UTC+02:00 (Europe/Riga)';
  const at = '2026-03-01T12:00:00+00:00';
  expect(withMoments(`Expected on ${text}, not yet there.`, [{ text, at }])).toBe(
    `Expected on ${exactTime(at)}, not yet there.`,
  );
  expect(withMoments('No ping yet.')).toBe('No ping yet.');
});

test.each([
  ['the CA refused: the key is too short', 'The CA refused: the key is too short.'],
  ['Renews at 2026-03-01T12:00:00.000Z, or later.', 'Renews at 1 Mar 2026, 12:00:00 UTC, or later.'],
  ['Is it there?', 'Is it there?'],
  ['', ''],
])('writes %j as the sentence %j', (text, sentence) => {
  expect(wholeSentence(text)).toBe(sentence);
});

test('writes moments and days in the chosen zone', () => {
  const at = '2026-03-01T23:30:00.000Z';
  writeTimesIn('Asia/Tokyo');
  expect([dayOf(at), exactTime(at)]).toEqual(['2 Mar 2026', '2 Mar 2026, 08:30:00 GMT+9']);
  writeTimesIn('America/New_York');
  expect([dayOf('2026-03-01T00:00:00Z'), calendarDay('2026-03-01')]).toEqual(['28 Feb 2026', '1 Mar 2026']);
  expect(calendarMonth('2026-03')).toBe('Mar 2026');
  writeTimesIn('UTC');
  expect([dayOf(at), exactTime(at)]).toEqual(['1 Mar 2026', '1 Mar 2026, 23:30:00 UTC']);
  writeTimesIn(undefined);
});
