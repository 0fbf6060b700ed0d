import { describe, expect, test } from 'vitest';
import { badgeUrls, isSigned, signTag, statesOf, tagOf } from './badge-signature.js';

const signer = { badgeKey: '0b0a5a04-8a7f-4b9f-9d19-5a6a0fd0b2fd', secret: 'a secret of sixteen' };

describe('signature of a tag', () => {
  // computed by another implementation of HMAC over the tag, under the SHA-1 of badge key and secret
  test.each([
    ['all checks', '*', 'N4pxEbGt'],
    ['a word', 'prod', '7Sf8XAhs'],
    ['letters beyond ASCII', 'été', '747hhvQj'],
  ])('%s', (_situation, tag, signature) => {
    expect(signTag(signer, tag)).toBe(signature);
  });

  test.each([
    ['the signature', (right: string) => right, true],
    ['with the mark of two states', (right: string) => `${right}-2`, true],
    ['with anything after it', (right: string) => `${right}zz`, true],
    [
      'one character wrong',
      (right: string) => `${right.slice(0, 7)}${right.endsWith('A') ? 'B' : 'A'}`,
      false,
    ],
    ['too short', (right: string) => right.slice(0, 7), false],
    ['empty', () => '', false],
    ['of as many characters but more octets', () => 'éééééééé', false],
  ])('%s → %p', (_situation, segmentOf, isGood) => {
    expect(isSigned(signer, 'prod', segmentOf(signTag(signer, 'prod')))).toBe(isGood);
  });

  test('differs for another project and for another secret', () => {
    const signatures = [
      signer,
      { ...signer, badgeKey: 'other' },
      { ...signer, secret: 'another secret' },
    ].map((one) => signTag(one, 'prod'));
    expect(new Set(signatures).size).toBe(3);
  });
});

describe('states of a badge', () => {
  test.each([
    ['the bare signature', 'abcdefgh', 3],
    ['the mark of two states', 'abcdefgh-2', 2],
    ['another mark', 'abcdefgh-3', 3],
    ['something before the mark', 'abcdefghx-2', 3],
    ['a signature that ends like the mark', 'abcdef-2', 3],
  ])('%s', (_situation, segment, states) => {
    expect(statesOf(segment)).toBe(states);
  });
});

describe('tag of a path segment', () => {
  test.each([
    ['a word', 'prod', 'prod'],
    ['dots and case', 'Foo.Bar', 'Foo.Bar'],
    ['quoted once more', 'a%26b%2Fc', 'a&b/c'],
    ['letters beyond ASCII, quoted', '%C3%A9t%C3%A9', 'été'],
    ['letters beyond ASCII, as they are', 'été', 'été'],
    ['a percent sign that encodes nothing', '100%', '100%'],
    ['octets that are not UTF-8', '%ff', '\ufffd'],
    ['a reserved character that is not quoted', 'a&b', undefined],
    ['a blank', 'a b', undefined],
    ['nothing', '', undefined],
  ])('%s', (_situation, segment, tag) => {
    expect(tagOf(segment)).toBe(tag);
  });

  test.each([['a&b'], ['été'], ['foo.bar'], ['a/b?c#d'], ['100%'], ["it's(*)!"], ['漢字😀']])(
    'of %s is read back from the address',
    (tag) => {
      const { svg3 } = badgeUrls('https://monitor.example', signer, tag);
      const segment = decodeURIComponent(new URL(svg3).pathname.split('/').at(-1) ?? '');
      expect(tagOf(segment.slice(0, -'.svg'.length))).toBe(tag);
    },
  );
});

describe('addresses of badges', () => {
  test('of a tag', () => {
    const base = `https://monitor.example/badge/${signer.badgeKey}/${signTag(signer, 'a&b')}`;
    expect(badgeUrls('https://monitor.example', signer, 'a&b')).toEqual({
      svg: `${base}-2/a%2526b.svg`,
      svg3: `${base}/a%2526b.svg`,
      json: `${base}-2/a%2526b.json`,
      json3: `${base}/a%2526b.json`,
      shields: `${base}-2/a%2526b.shields`,
      shields3: `${base}/a%2526b.shields`,
    });
  });

  test('of all checks', () => {
    const base = `https://monitor.example/badge/${signer.badgeKey}/${signTag(signer, '*')}`;
    expect(badgeUrls('https://monitor.example', signer, '*')).toMatchObject({
      svg: `${base}-2.svg`,
      shields3: `${base}.shields`,
    });
  });
});
