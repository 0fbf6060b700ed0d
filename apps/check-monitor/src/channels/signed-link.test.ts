import { describe, expect, test } from '@jest/globals';
import { isSignedLink, signedLink } from './signed-link.js';

const uuid = '9b6b0b1e-0d3c-4a53-9d6a-333333333333';
const signer = { siteRoot: 'https://monitor.example', secret: 'a secret of sixteen' };

const signatureOf = (link: string) => link.split('/').at(-2) ?? '';

describe('signed links', () => {
  const right = signatureOf(signedLink(signer, 'unsub', uuid));

  test('name the channel and what is done to it', () => {
    const link = signedLink(signer, 'unsub', uuid);
    expect(link).toBe(`https://monitor.example/integrations/${uuid}/unsub/${right}/`);
    expect(right).toMatch(/^[\w-]{32}$/);
  });

  test.each<[string, string, 'unsub' | 'verify', string, string, boolean]>([
    ['the right one', signer.secret, 'unsub', uuid, right, true],
    ['another purpose', signer.secret, 'verify', uuid, right, false],
    ['another channel', signer.secret, 'unsub', uuid.replace('9', '8'), right, false],
    ['another secret', 'some other secret', 'unsub', uuid, right, false],
    ['cut short', signer.secret, 'unsub', uuid, right.slice(0, 31), false],
    ['empty', signer.secret, 'unsub', uuid, '', false],
    ['more octets than characters', signer.secret, 'unsub', uuid, 'é'.repeat(32), false],
  ])('%s', (_situation, secret, purpose, channel, signature, isGood) => {
    expect(isSignedLink(secret, purpose, channel, signature)).toBe(isGood);
  });
});
