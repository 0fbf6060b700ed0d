import { expect, test } from 'vitest';
import { issuerText } from '../src/names/issuer-text.ts';

test.each([
  ["CN=R12,O=Let's Encrypt,C=US", "R12 (Let's Encrypt)"],
  ['C=US, O=Example, CN=Example Sub CA', 'Example Sub CA'],
  ['CN=Sub\\, one,O=Acme\\+Co', 'Sub, one (Acme+Co)'],
  ['O=Only an organization', 'Only an organization'],
  ['CN=Alone', 'Alone'],
  ['OU=Neither', 'OU=Neither'],
  ['', ''],
])('the issuer %s is shown as %s', (issuer, text) => {
  expect(issuerText(issuer)).toBe(text);
});
