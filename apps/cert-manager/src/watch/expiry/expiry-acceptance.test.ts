import { describe, expect, test } from 'vitest';
import { type ExpiryRequest, validateExpiryRequest } from './expiry-acceptance.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const at = (text: string) => new Date(text);
const soon = at('2026-05-01T00:00:00.000Z');
const yearAhead = at('2027-03-01T12:00:00.000Z');

describe('accepting an expiry', () => {
  test.each<[string, ExpiryRequest, Date | undefined, Date | null | string]>([
    ['lasts until the end of the certificate', { accepted: true }, soon, soon],
    ['lasts a year for a certificate that ends later', { accepted: true }, at('2028-01-01'), yearAhead],
    ['lasts until the date', { accepted: true, until: at('2026-04-01') }, soon, at('2026-04-01')],
    [
      'lasts until the date, after the end',
      { accepted: true, until: at('2026-09-01') },
      soon,
      at('2026-09-01'),
    ],
    ['lasts until the date, without a certificate', { accepted: true, until: soon }, undefined, soon],
    ['lasts a year at most', { accepted: true, until: yearAhead }, soon, yearAhead],
    [
      'is refused for more than a year',
      { accepted: true, until: at('2027-03-01T12:00:00.001Z') },
      soon,
      'until',
    ],
    ['is refused for the past', { accepted: true, until: now }, soon, 'until'],
    ['is refused without a date and a certificate', { accepted: true }, undefined, 'until'],
    ['is refused without a date after the end', { accepted: true }, now, 'until'],
    ['ends', { accepted: false }, soon, null],
    ['ends without a certificate', { accepted: false }, undefined, null],
    ['does not end at a date', { accepted: false, until: soon }, soon, 'until'],
  ])('%s', (_, asked, endsAt, expected) => {
    const verdict = validateExpiryRequest(asked, { renewalEnabled: false, endsAt, now });
    if (typeof expected === 'string') expect(verdict).toMatchObject({ path: expected });
    else expect(verdict).toEqual({ until: expected });
  });

  test.each([true, false])('is refused while renewal is on (accepted: %s)', (accepted) => {
    const verdict = validateExpiryRequest({ accepted }, { renewalEnabled: true, endsAt: soon, now });
    expect(verdict).toMatchObject({
      path: 'accepted',
      message: expect.stringContaining('switch it off first'),
    });
  });
});
