import { describe, expect, test } from 'vitest';
import {
  cloakedLink,
  cloakedTestLink,
  looksLikeCloakedSignature,
  opensCloaked,
  opensCloakedTest,
} from './cloaked-link.js';

const signer = { siteRoot: 'https://monitor.example', secret: 'a secret for tests only' };
const check = { uuid: '62e13f6b-a7b9-4926-8d1a-222222222222', uniqueKey: 'a6'.repeat(20) };
const signatureOf = (link: string) => new URL(link).searchParams.get('s') ?? '';
const signature = signatureOf(cloakedLink(signer, check));

describe('a link to the page of a check', () => {
  test('has the unique key and 22 characters of a signature, never the UUID', () => {
    const link = cloakedLink(signer, check);
    expect(link).toMatch(/^https:\/\/monitor\.example\/cloaked\/(a6){20}\/\?s=[\w-]{22}$/);
    expect(link).not.toContain(check.uuid);
  });

  test.each<[string, string, string, string, boolean]>([
    ['its own signature', signer.secret, check.uuid, signature, true],
    ['the signature of another check', signer.secret, check.uuid.replace('6', '7'), signature, false],
    ['a signature under another secret', 'another secret', check.uuid, signature, false],
    ['one character changed', signer.secret, check.uuid, `${signature.slice(0, 21)}~`, false],
    ['a part of the signature', signer.secret, check.uuid, signature.slice(0, 21), false],
    ['no signature', signer.secret, check.uuid, '', false],
  ])('opens by %s: %#', (_situation, secret, uuid, given, opens) => {
    expect(opensCloaked(secret, uuid, given)).toBe(opens);
  });

  test('opens a test only by the signature of that test', () => {
    const ofTest = signatureOf(cloakedTestLink(signer, check.uniqueKey));
    expect(opensCloakedTest(signer.secret, check.uniqueKey, ofTest)).toBe(true);
    expect(opensCloakedTest(signer.secret, check.uniqueKey, signature)).toBe(false);
    expect(opensCloaked(signer.secret, check.uuid, ofTest)).toBe(false);
  });

  test.each([
    [signature, true],
    ['', false],
    [`${signature}A`, false],
    [`${signature.slice(0, 21)}é`, false],
    [`${signature}\n`, false],
  ])('says by its shape whether %j can be a signature', (text, can) => {
    expect(looksLikeCloakedSignature(text)).toBe(can);
  });
});
