import type { IssuancePolicy } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { changeDetails } from './policy-change.js';

const open: IssuancePolicy = { allowedNames: null, providerIds: null };

function policyOf(count: number): IssuancePolicy {
  const names = Array.from({ length: count }, (_, index) => `${'n'.repeat(60)}${index}.example`);
  return {
    allowedNames: { names, suffixes: names, wildcards: true, cidrs: names, beyondFqdn: true },
    providerIds: names,
  };
}

test('records short policies in full', () => {
  expect(changeDetails(open, policyOf(5))).toEqual({ before: open, after: policyOf(5) });
});

test('records long lists as their length and a digest, within the size of an audit entry', () => {
  const [before, after] = [changeDetails(policyOf(200), policyOf(199)), changeDetails(policyOf(199), open)];
  expect(Buffer.byteLength(JSON.stringify(before))).toBeLessThan(7000);
  expect(before['before']).toMatchObject({
    allowedNames: { wildcards: true, names: { count: 200, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } },
  });
  expect(before['after']).toEqual(after['before']);
  expect(after['after']).toEqual(open);
});
