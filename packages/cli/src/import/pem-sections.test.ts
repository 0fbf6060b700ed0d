import { expect, test } from 'vitest';
import { isCertificateLabel, isKeyLabel, pemSections } from './pem-sections.js';

const block = (label: string, body: string) => `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
const certificate = block('CERTIFICATE', 'AAAA');
const key = block('EC PRIVATE KEY', 'S0VZ');
const linesOf = (text: string, isWanted = isCertificateLabel) =>
  pemSections(Buffer.from(text), isWanted).map((section) => [section.line, section.text]);

test('returns the certificates of a bundle, and nothing of its key', () => {
  const bundle = `Bag Attributes\n${key}${certificate}text\n${certificate}`;
  expect(linesOf(bundle)).toEqual([
    [5, certificate.trimEnd()],
    [9, certificate.trimEnd()],
  ]);
  expect(linesOf(bundle, isKeyLabel)).toEqual([[2, key.trimEnd()]]);
});

test('ends a certificate without its END before the key that follows', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n';
  expect(linesOf(`${broken}${key}${certificate}`)).toEqual([
    [1, broken],
    [6, certificate.trimEnd()],
  ]);
});

test.each([
  ['no text', ''],
  ['a BEGIN without its end', '-----BEGIN CERTIFICATE'],
  ['an indented block', `  ${certificate}`],
  ['a key', key],
])('finds no certificate in %s', (_what, text) => {
  expect(linesOf(text)).toEqual([]);
});

test('reads lines of Windows, and after a byte order mark', () => {
  expect(linesOf(`\uFEFF${certificate.replaceAll('\n', '\r\n')}`)).toHaveLength(1);
});
