import { expect, test } from 'vitest';
import { fromStateText, stateText } from './state-text.js';

test.each([
  ['a moment', new Date('2026-11-22T10:00:00.001Z')],
  ['the last moment', new Date(8.64e15)],
  ['octets', Buffer.from([0, 255, 10])],
  ['words and numbers', { a: 'b', c: 1, d: true, e: null, f: [] }],
  ['a record', { at: new Date(0), der: Buffer.from('x'), list: [{ at: new Date(1) }], none: undefined }],
])('gives %s back as it was', (_, record) => {
  const back = fromStateText(stateText(record));
  expect(back).toEqual(record);
});
