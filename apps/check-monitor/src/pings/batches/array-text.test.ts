import { expect, test } from 'vitest';
import { arrayText } from './array-text.js';

test.each([
  ['nothing', [], '{}'],
  ['numbers and null', [1, null, -2], '{1,NULL,-2}'],
  ['an empty text, and one that looks like null', ['', 'NULL'], '{"","NULL"}'],
  ['quotes, backslashes, commas and braces', ['a"b', 'c\\d', 'e,f', '{}'], '{"a\\"b","c\\\\d","e,f","{}"}'],
  ['bytes', [Buffer.from([0, 255])], '{"\\\\x00ff"}'],
] as const)('%s', (_, elements, text) => {
  expect(arrayText(elements)).toBe(text);
});
