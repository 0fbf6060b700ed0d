import { describe, expect, test } from 'vitest';
import { parseContacts } from './contacts.js';

describe('parseContacts (RFC 8555 §7.3)', () => {
  test.each([
    ['none', []],
    ['a mail address', ['mailto:ada@example.test']],
    ['two', ['mailto:ada@example.test', 'MAILTO:ben@example.test']],
  ])('takes %s', (_, contacts) => {
    expect(parseContacts(contacts)).toEqual(contacts);
  });

  test.each([
    ['another scheme', ['tel:+1'], 'unsupportedContact'],
    ['no scheme', ['ada@example.test'], 'unsupportedContact'],
    ['no address', ['mailto:'], 'invalidContact'],
    ['no host', ['mailto:ada@'], 'invalidContact'],
    ['two addresses in one', ['mailto:a@b.test,c@d.test'], 'invalidContact'],
    ['header fields', ['mailto:a@b.test?subject=x'], 'invalidContact'],
    ['a NUL', ['mailto:a@b.test\0'], 'invalidContact'],
    ['a control character', ['mailto:a\u0001@b.test'], 'invalidContact'],
    ['a lone surrogate', ['mailto:a@b\ud800.test'], 'invalidContact'],
    ['a blank', ['mailto:a b@c.test'], 'invalidContact'],
    ['one of 255 characters', [`mailto:${'a'.repeat(241)}@b.test`], 'invalidContact'],
    ['eleven', Array.from({ length: 11 }, () => 'mailto:a@b.test'), 'invalidContact'],
  ])('refuses %s', (_, contacts, type) => {
    expect(() => parseContacts(contacts)).toThrow(expect.objectContaining({ type }));
  });
});
