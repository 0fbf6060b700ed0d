import { describe, expect, test } from 'vitest';
import { isSignedLink, type LinkSubject, signedLink } from './signed-link.js';

const uuid = '9b6b0b1e-0d3c-4a53-9d6a-333333333333';
const signer = { siteRoot: 'https://monitor.example', secret: 'a secret of sixteen' };

const subject: LinkSubject = { purpose: 'unsub', channelUuid: uuid };
const signatureOf = (link: string) => link.split('/').at(-2) ?? '';

describe('signed links', () => {
  const right = signatureOf(signedLink(signer, subject));

  test('name the channel and the action', () => {
    expect(signedLink(signer, subject)).toBe(`https://monitor.example/integrations/${uuid}/unsub/${right}/`);
    expect(right).toMatch(/^[\w-]{32}$/);
  });

  test.each<[string, string, LinkSubject, string, boolean]>([
    ['the right one', signer.secret, subject, right, true],
    ['another purpose', signer.secret, { ...subject, purpose: 'verify' }, right, false],
    ['another channel', signer.secret, { ...subject, channelUuid: uuid.replace('9', '8') }, right, false],
    ['another address', signer.secret, { ...subject, address: 'eve@example.org' }, right, false],
    ['another secret', 'some other secret', subject, right, false],
    ['cut short', signer.secret, subject, right.slice(0, 31), false],
    ['empty', signer.secret, subject, '', false],
    ['more octets than characters', signer.secret, subject, 'é'.repeat(32), false],
  ])('%s', (_situation, secret, about, signature, isGood) => {
    expect(isSignedLink(secret, about, signature)).toBe(isGood);
  });
});
