import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FoundHolders, nameLookupOf, otherHolders, parentOf } from './held-name.js';

describe('what decides who holds a name', () => {
  test.each<[situation: string, text: string, deciding: string[], wildcardOf: string | undefined]>([
    ['a name', 'www.shop.test', ['www.shop.test', '*.shop.test', 'shop.test'], undefined],
    ['capitals and a final dot', 'WWW.Shop.TEST.', ['www.shop.test', '*.shop.test', 'shop.test'], undefined],
    [
      'an international name',
      'www.bücher.test',
      ['www.xn--bcher-kva.test', '*.xn--bcher-kva.test', 'xn--bcher-kva.test'],
      undefined,
    ],
    ['a domain of two labels', 'shop.test', ['shop.test', '*.test'], undefined],
    ['a single label', 'internal', ['internal'], undefined],
    ['a wildcard', '*.shop.test', ['*.shop.test', 'shop.test'], 'shop.test'],
    ['a wildcard of a single label', '*.test', ['*.test'], 'test'],
    ['part of a label as a wildcard', 'w*.shop.test', ['shop.test'], 'shop.test'],
    ['an underscore', '_x.shop.test', ['*.shop.test', 'shop.test'], undefined],
    ['two wildcards', '*.*.shop.test', ['*.shop.test', 'shop.test'], undefined],
    ['a final dot twice', 'www.shop.test..', ['www.shop.test', '*.shop.test', 'shop.test'], undefined],
    ['an empty text', '', [], undefined],
  ])('%s', (_, text, deciding, wildcardOf) => {
    expect(nameLookupOf(text)).toEqual({ deciding, wildcardOf });
  });

  test.each([
    ['Shop.test Ltd', 'a space'],
    ['www.shop.test\u0000.evil.test', 'a control character'],
  ])('is nothing for %j, which has %s', (text) => {
    expect(nameLookupOf(text)).toBeUndefined();
  });

  test('is bounded for a name that is very long or has very many labels', () => {
    for (const text of ['a.'.repeat(30_000), 'a'.repeat(60_000), `${'a.'.repeat(30_000)}shop.test`]) {
      expect(nameLookupOf(text)?.deciding.length ?? 0).toBeLessThan(130);
    }
    expect(nameLookupOf(`${'a.'.repeat(30_000)}shop.test`)?.deciding.at(-1)).toBe('shop.test');
  });
});

/** Each line is a name and the space that holds it. */
function holding(...lines: [name: string, spaceId: string][]): FoundHolders {
  const spacesBelow = new Map<string, string[]>();
  for (const [name, id] of lines)
    spacesBelow.set(parentOf(name), [...(spacesBelow.get(parentOf(name)) ?? []), id]);
  return {
    byName: new Map(lines.map(([name, spaceId]) => [name, { name, spaceId, fqdnId: `${spaceId} ${name}` }])),
    spacesBelow,
  };
}

describe('other holders of a name that space A asks for', () => {
  test.each<[situation: string, name: string, holders: [string, string][], others: string[]]>([
    ['no space holds it', 'www.shop.test', [], []],
    ['A holds it', 'www.shop.test', [['www.shop.test', 'A']], []],
    ['B holds it', 'www.shop.test', [['www.shop.test', 'B']], ['B']],
    ['B holds it, written in another way', 'WWW.shop.test.', [['www.shop.test', 'B']], ['B']],
    ['B holds the domain above', 'www.shop.test', [['shop.test', 'B']], ['B']],
    ['B holds a domain far above', 'a.b.c.shop.test', [['shop.test', 'B']], ['B']],
    ['B holds a name below', 'shop.test', [['www.shop.test', 'B']], []],
    ['B holds a name beside', 'www.shop.test', [['mail.shop.test', 'B']], []],
    ['B holds a name that ends in the same letters', 'myshop.test', [['shop.test', 'B']], []],
    ['B holds a single label above', 'www.shop.test', [['test', 'B']], []],
    ['B holds the single label itself', 'internal', [['internal', 'B']], ['B']],
    [
      'A holds the nearer domain',
      'a.www.shop.test',
      [
        ['www.shop.test', 'A'],
        ['shop.test', 'B'],
      ],
      [],
    ],
    [
      'B holds the nearer domain',
      'a.www.shop.test',
      [
        ['www.shop.test', 'B'],
        ['shop.test', 'A'],
      ],
      ['B'],
    ],
    [
      'A holds it below a domain of B',
      'www.shop.test',
      [
        ['www.shop.test', 'A'],
        ['shop.test', 'B'],
      ],
      [],
    ],
    ['B holds the wildcard that stands for it', 'www.shop.test', [['*.shop.test', 'B']], ['B']],
    [
      'A holds the domain, B that wildcard',
      'www.shop.test',
      [
        ['*.shop.test', 'B'],
        ['shop.test', 'A'],
      ],
      ['B'],
    ],
    ['B holds a wildcard that stands for a name above', 'a.www.shop.test', [['*.shop.test', 'B']], []],
    ['B holds the domain of the wildcard', '*.shop.test', [['shop.test', 'B']], ['B']],
    [
      'B and C hold names that the wildcard stands for',
      '*.shop.test',
      [
        ['a.shop.test', 'B'],
        ['b.shop.test', 'C'],
      ],
      ['B', 'C'],
    ],
    [
      'A holds one of them, B another one',
      '*.shop.test',
      [
        ['a.shop.test', 'A'],
        ['b.shop.test', 'B'],
      ],
      ['B'],
    ],
    [
      'A holds the domain, B a name that the wildcard stands for',
      '*.shop.test',
      [
        ['shop.test', 'A'],
        ['b.shop.test', 'B'],
      ],
      ['B'],
    ],
    [
      'A holds the wildcard, B a name that it stands for',
      '*.shop.test',
      [
        ['*.shop.test', 'A'],
        ['b.shop.test', 'B'],
      ],
      [],
    ],
    ['B holds a name far below the wildcard', '*.shop.test', [['a.b.shop.test', 'B']], []],
    ['B holds a name that part of a label stands for', 'w*.shop.test', [['www.shop.test', 'B']], ['B']],
    [
      'A holds the domain, B a name that part of a label stands for',
      'w*.shop.test',
      [
        ['shop.test', 'A'],
        ['www.shop.test', 'B'],
      ],
      ['B'],
    ],
    ['an underscore below a domain of B', '_acme-challenge.shop.test', [['shop.test', 'B']], ['B']],
    ['an address', '10.0.0.1', [['www.shop.test', 'B']], []],
    ['the name of an organisation', 'Shop.test Ltd', [['shop.test', 'B']], []],
  ])('%s', (_, name, lines, others) => {
    expect(otherHolders(name, 'A', holding(...lines)).map(({ spaceId }) => spaceId)).toEqual(others);
  });

  test('never include the space itself, and are the same for every way to write the name', () => {
    const label = fc.constantFrom('a', 'b', 'www', 'shop', '*');
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => `${labels.join('.')}.test`);
    const lines = fc.uniqueArray(fc.tuple(name, fc.constantFrom('A', 'B', 'C')), {
      selector: ([each]) => each,
    });
    fc.assert(
      fc.property(name, lines, (asked, held) => {
        const found = holding(...held);
        const others = otherHolders(asked, 'A', found);
        expect(others.map(({ spaceId }) => spaceId)).not.toContain('A');
        expect(otherHolders(`${asked.toUpperCase()}.`, 'A', found)).toEqual(others);
      }),
    );
  });
});
