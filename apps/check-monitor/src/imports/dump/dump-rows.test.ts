import { expect, test } from 'vitest';
import { readRow } from './dump-rows.js';

test.each([
  ['not an object', 7, 'an element is not a row'],
  ['without fields', { model: 'api.check', pk: 1 }, 'an element is not a row'],
  ['a number that is a text', { model: 'api.flip', pk: 'x', fields: {} }, 'api.flip: pk'],
  [
    'a field that is missing',
    { model: 'auth.user', pk: 3, fields: { email: 'a@b' } },
    'auth.user 3: date_joined',
  ],
])('names the invalid row: %s', (_situation, element, fault) => {
  expect(readRow(element)).toEqual({ model: 'faulty', fault: expect.stringContaining(fault) });
});

test('skips rows of other kinds', () => {
  expect(readRow({ model: 'api.ping', pk: 1, fields: {} })).toEqual({ model: 'other', name: 'api.ping' });
});
