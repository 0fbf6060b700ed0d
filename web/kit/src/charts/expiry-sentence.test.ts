import { expect, test } from 'vitest';
import { expirySentence } from './expiry-sentence.js';

test.each([
  [[0, 0, 0, 0, 0], 'No certificate expires within 26 weeks.'],
  [[1, 0, 0, 0, 0], '1 certificate expires within 26 weeks. It renews automatically.'],
  [
    [12_000, 0, 0, 0, 3],
    '12,000 certificates expire within 26 weeks. All of them renew automatically. 3 certificates will expire later.',
  ],
  [[0, 1, 0, 0, 0], '1 certificate expires within 26 weeks. It does not renew automatically.'],
  [[0, 0, 1, 0, 0], '1 certificate expires within 26 weeks. It is failing.'],
  [[8, 0, 1, 0, 0], '9 certificates expire within 26 weeks. 1 of them is failing.'],
  [
    [5, 2, 3, 1, 0],
    '10 certificates expire within 26 weeks. 2 of them do not renew automatically. 3 of them are failing. 1 certificate expired before.',
  ],
  [
    [0, 0, 0, 2, 1],
    'No certificate expires within 26 weeks. 2 certificates expired before. 1 certificate will expire later.',
  ],
])(
  'describes the counts %j',
  ([willRenew = 0, needsHand = 0, failing = 0, overdue = 0, later = 0], sentence) => {
    const start = '2026-03-02T00:00:00.000Z';
    expect(expirySentence({ buckets: [{ start, willRenew, needsHand, failing }], overdue, later })).toBe(
      sentence,
    );
  },
);
