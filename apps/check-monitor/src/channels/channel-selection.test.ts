import { describe, expect, test } from '@jest/globals';
import { selectChannels } from './channel-selection.js';

const ops = '11111111-1111-4111-8111-11111111111a';
const dev = '22222222-2222-4222-8222-222222222222';
const twin = '33333333-3333-4333-8333-333333333333';
const available = [
  { id: ops, name: 'ops' },
  { id: dev, name: 'twin' },
  { id: twin, name: 'twin' },
  { id: '44444444-4444-4444-8444-444444444444', name: dev },
];

describe('selection of channels', () => {
  test.each([
    ['all', '*', available.map(({ id }) => id)],
    ['none', '', []],
    ['a uuid', twin, [twin]],
    ['a name', 'ops', [ops]],
    ['a uuid and a name of the same', `${ops},ops`, [ops]],
  ])('%s', (_situation, text, chosen) => {
    expect(selectChannels(text, available)).toEqual(chosen);
  });

  test.each([
    ['an empty part', 'ops,,x', 'empty channel identifier'],
    ['only a comma', ',', 'empty channel identifier'],
    ['an unknown name', 'nobody', 'invalid channel identifier: nobody'],
    ['blanks around a name', ' ops', 'invalid channel identifier:  ops'],
    ['an upper-case uuid', ops.toUpperCase(), `invalid channel identifier: ${ops.toUpperCase()}`],
    ['a star in a list', '*,*', 'invalid channel identifier: *'],
    ['a name that two have', 'twin', 'non-unique channel identifier: twin'],
    ['a name that is another one its uuid', dev, `non-unique channel identifier: ${dev}`],
    ['the leftmost fault counts', 'nobody,twin', 'invalid channel identifier: nobody'],
  ])('refuses %s', (_situation, text, message) => {
    expect(() => selectChannels(text, available)).toThrow(message);
  });
});
