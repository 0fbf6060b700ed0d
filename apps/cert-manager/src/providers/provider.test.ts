import { describe, expect, test } from 'vitest';
import { readableText } from './provider.js';

describe('text of another service', () => {
  test.each([
    ['a sentence', 'signing failed', 'signing failed'],
    ['several lines', ' signing\r\n\tfailed \n', 'signing failed'],
    ['control characters', 'a\u0000b\u001b[31mc\u202e', 'a b [31mc'],
    ['500 characters', 'x'.repeat(500), 'x'.repeat(500)],
    ['501 characters', 'x'.repeat(501), `${'x'.repeat(499)}…`],
    ['nothing', '', ''],
  ])('%s', (_, text, readable) => {
    expect(readableText(text)).toBe(readable);
  });
});
