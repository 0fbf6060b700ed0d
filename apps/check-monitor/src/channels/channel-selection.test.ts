import { describe, expect, test } from 'vitest';
import { selectChannels } from './channel-selection.js';

const ops = '11111111-1111-4111-8111-11111111111a';
const dev = '22222222-2222-4222-8222-222222222222';
const twin = '33333333-3333-4333-8333-333333333333';
const own = '55555555-5555-4555-8555-555555555555';
const available = [
  { id: ops, name: 'ops' },
  { id: dev, name: 'twin' },
  { id: twin, name: 'twin' },
  { id: '44444444-4444-4444-8444-444444444444', name: dev },
  { id: own, name: own },
];

describe('selection of channels', () => {
  test.each([
    ['all', '*', available.map(({ id }) => id)],
    ['none', '', []],
    ['a uuid', twin, [twin]],
    ['a name', 'ops', [ops]],
    ['a uuid and a name of the same', `${ops},ops`, [ops]],
    ['the same part twice', 'ops,ops', [ops]],
    ['a channel whose name is its own uuid', own, [own]],
  ])('%s', (_situation, text, chosen) => {
    expect(selectChannels(text, available)).toEqual(chosen);
  });

  test.each([
    ['an empty part', 'ops,,x', 'empty channel identifier'],
    ['only a comma', ',', 'empty channel identifier'],
    ['an unknown name', 'unknown', 'invalid channel identifier: unknown'],
    ['blanks around a name', ' ops', 'invalid channel identifier:  ops'],
    ['an upper-case uuid', ops.toUpperCase(), `invalid channel identifier: ${ops.toUpperCase()}`],
    ['a star in a list', '*,*', 'invalid channel identifier: *'],
    ['a name that two have', 'twin', 'non-unique channel identifier: twin'],
    ['a name that is another one its uuid', dev, `non-unique channel identifier: ${dev}`],
    ['the leftmost fault counts', 'unknown,twin', 'invalid channel identifier: unknown'],
  ])('refuses %s', (_situation, text, message) => {
    expect(() => selectChannels(text, available)).toThrow(message);
  });

  test('reads each channel once, for any number of parts', () => {
    let reads = 0;
    const counted = available.map((channel) => ({
      ...channel,
      get name() {
        reads += 1;
        return channel.name;
      },
    }));
    expect(selectChannels(Array<string>(10_000).fill(twin).join(','), counted)).toEqual([twin]);
    expect(reads).toBe(available.length);
  });
});
