import { describe, expect, test } from 'vitest';
import { countFrom, firstSerialNumber, sharedCounter } from './serial-numbers.js';

const start = new Date('2026-11-21T10:00:00.000Z');
const none = new Uint8Array(5);
const all = new Uint8Array(5).fill(0xff);
const octetsOf = (serialNumber: bigint) => Math.floor(serialNumber.toString(2).length / 8) + 1;

describe('firstSerialNumber', () => {
  test('contains the milliseconds, the random octets and an empty counter', () => {
    const random = Uint8Array.from([0xa1, 0xb2, 0xc3, 0xd4, 0xe5]);
    expect(firstSerialNumber(new Date(0x0123456789ab), random).toString(16)).toBe(
      '123456789aba1b2c3d4e50000000000',
    );
  });

  test.each([
    ['now', start],
    ['the last millisecond that its octets hold', new Date('6429-01-01T00:00:00Z')],
  ])('is positive in at most 20 octets: %s', (_, startedAt) => {
    for (const random of [none, all]) {
      const serialNumber = firstSerialNumber(startedAt, random);
      expect(serialNumber > 0n).toBe(true);
      expect(octetsOf(serialNumber)).toBeLessThanOrEqual(20);
    }
  });

  test('of a start one millisecond later exceeds the serial numbers of a million million certificates', () => {
    const earlier = firstSerialNumber(start, all) + 1_000_000_000_000n;
    expect(firstSerialNumber(new Date(start.getTime() + 1), none) > earlier).toBe(true);
  });

  test('of two starts in the same millisecond differs by its random octets', () => {
    expect(firstSerialNumber(start, all)).not.toBe(firstSerialNumber(start, none));
  });
});

describe('countFrom', () => {
  test('rises by one', () => {
    const serialNumbers = countFrom(41n);
    expect([serialNumbers.next(), serialNumbers.next(), serialNumbers.next()]).toEqual([41n, 42n, 43n]);
  });

  test('never repeats a number for callers of one counter', () => {
    const counter = sharedCounter();
    const [one, other] = [countFrom(41n, counter), countFrom(41n, counter)];
    expect([one.next(), other.next(), one.next()]).toEqual([41n, 42n, 43n]);
  });
});
