import { describe, expect, test } from 'vitest';
import { mailRoutesOf, routedTo } from './mail-route.js';

const pairs = [
  { label: '#shop', address: 'shop@example.org' },
  { label: '@ada', address: 'Ada <ada@example.org>' },
  { label: '#pay', address: 'SHOP@example.org' },
];

describe('routes of mail', () => {
  test('are one for each address, with all its labels', () => {
    const routes = mailRoutesOf(pairs, 'ops@example.org');
    expect(routes.map(({ address, labels }) => [address, labels])).toEqual([
      ['shop@example.org', ['#shop', '#pay']],
      ['Ada <ada@example.org>', ['@ada']],
    ]);
    for (const { destination } of routes) expect(destination).toMatch(/^m[0-9a-f]{7}$/);
  });

  test('have the same destination whatever other routes there are', () => {
    const [first] = mailRoutesOf(pairs, '');
    const [alone] = mailRoutesOf(pairs.slice(2), '');
    expect(alone?.destination).toBe(first?.destination);
  });

  test('leave out an address that gets all notices', () => {
    const left = mailRoutesOf(pairs, 'Ops <ops@example.org>, shop@Example.org');
    expect(left.map(({ address }) => address)).toEqual(['Ada <ada@example.org>']);
  });

  test.each([
    [['#shop'], [0]],
    [
      ['@ada', '#pay'],
      [0, 1],
    ],
    [['@Ada', '#shops'], []],
    [[], []],
  ])('of %j', (labels, places) => {
    const routes = mailRoutesOf(pairs, '');
    expect(routedTo(routes, labels)).toEqual(places.map((place) => routes[place]?.destination));
  });
});
