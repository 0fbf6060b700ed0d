import { acmeProblemDocument } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { refusedName } from '../../acme-clients/client-names.js';
import type { OrderIdentifier } from './lineage.js';
import { refusedIdentifiers } from './refused-identifiers.js';

const dns = (value: string): OrderIdentifier => ({ type: 'dns', value });

test('refused identifiers are subproblems with the same sentence', () => {
  const address: OrderIdentifier = { type: 'ip', value: '192.0.2.1' };
  const document = acmeProblemDocument(refusedIdentifiers([dns('a.test'), address].map(refusedName)));
  const sentenceOf = (value: string) =>
    `this client may not have ${value}; administrators of its space can change that`;
  expect(document).toEqual({
    type: 'urn:ietf:params:acme:error:rejectedIdentifier',
    status: 400,
    detail: `${sentenceOf('a.test')}; ${sentenceOf('192.0.2.1')}`,
    subproblems: [dns('a.test'), address].map((identifier) => ({
      type: 'urn:ietf:params:acme:error:rejectedIdentifier',
      detail: sentenceOf(identifier.value),
      identifier,
    })),
  });
});

test('a refusal of many identifiers names three', () => {
  const many = Array.from({ length: 100 }, (_, index) => refusedName(dns(`n${index}.test`)));
  const { message, subproblems } = refusedIdentifiers(many);
  expect(subproblems).toHaveLength(100);
  expect(message).toMatch(/n0\.test.*n1\.test.*n2\.test.*; and 97 more$/);
});
