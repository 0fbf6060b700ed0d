import { InvalidInput } from '@certloop/contracts';
import { describe, expect, test } from 'vitest';
import { parseDer, tag } from './der.js';
import { encode } from './der-writer.js';
import { decodeTime, encodeTime } from './times.js';

const read = (identifier: number, text: string): string =>
  decodeTime(parseDer(encode(identifier, Buffer.from(text, 'latin1')), 'input'), 'a time').toISOString();

test.each([
  ['the last second of 2049', '2049-12-31T23:59:59Z', tag.utcTime, '491231235959Z'],
  ['the first second of 2050', '2050-01-01T00:00:00Z', tag.generalizedTime, '20500101000000Z'],
  ['the first second that UTCTime has', '1950-01-01T00:00:00Z', tag.utcTime, '500101000000Z'],
  ['a fraction of a second', '2026-02-28T01:02:03.999Z', tag.utcTime, '260228010203Z'],
  ['the last second there is', '9999-12-31T23:59:59Z', tag.generalizedTime, '99991231235959Z'],
])('writes %s as RFC 5280 requires', (_, instant, identifier, text) => {
  expect(encodeTime(new Date(instant))).toEqual(encode(identifier, Buffer.from(text)));
});

test.each(['1949-12-31T23:59:59Z', '+010000-01-01T00:00:00Z', 'nonsense'])(
  '%s cannot be written',
  (instant) => {
    expect(() => encodeTime(new Date(instant))).toThrow(InvalidInput);
  },
);

describe('times that are read', () => {
  test.each([
    ['UTCTime of this century', tag.utcTime, '490101000000Z', '2049-01-01T00:00:00.000Z'],
    ['UTCTime of the last century', tag.utcTime, '500101000000Z', '1950-01-01T00:00:00.000Z'],
    ['a leap day', tag.generalizedTime, '20280229120000Z', '2028-02-29T12:00:00.000Z'],
    ['the year 1', tag.generalizedTime, '00010101000000Z', '0001-01-01T00:00:00.000Z'],
  ])('%s', (_, identifier, text, instant) => {
    expect(read(identifier, text)).toBe(instant);
  });

  test.each([
    ['no seconds', tag.utcTime, '2601010000Z'],
    ['an offset', tag.utcTime, '260101000000+0000'],
    ['no Z', tag.generalizedTime, '20260101000000'],
    ['a fraction', tag.generalizedTime, '20260101000000.5Z'],
    ['29 February of a common year', tag.utcTime, '270229000000Z'],
    ['month 13', tag.utcTime, '261301000000Z'],
    ['day 0', tag.utcTime, '260100000000Z'],
    ['hour 24', tag.utcTime, '260101240000Z'],
    ['second 60', tag.utcTime, '260101000060Z'],
    ['another type', tag.utf8String, '260101000000Z'],
  ])('rejects %s', (_, identifier, text) => {
    expect(() => read(identifier, text)).toThrow(InvalidInput);
  });
});
