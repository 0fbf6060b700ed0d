import { expect, test } from 'vitest';
import { createTail } from './execute.js';

test.each([
  [['abc', 'def'], 4, 'cdef'],
  [['abc'], 10, 'abc'],
  [[], 10, ''],
  [['xé', 'é'], 3, 'é'],
  [['😀😀'], 7, '😀'],
  [[Buffer.from([0xff, 0x61])], 2, '\ufffda'],
] as const)('of %j the last %i bytes are %j', (pieces, bytes, text) => {
  const tail = createTail(bytes);
  for (const piece of pieces) tail.add(typeof piece === 'string' ? Buffer.from(piece) : piece);
  expect(tail.text()).toBe(text);
});
