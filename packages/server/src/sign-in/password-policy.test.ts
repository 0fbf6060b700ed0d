import type { InvalidInput } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { requireAcceptablePassword } from './password-policy.js';

const ada = { username: 'ada-lovelace', email: 'Ada@example.org' };

function refusalOf(work: () => void): InvalidInput | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as InvalidInput;
  }
}

test.each([
  ['as many characters as needed', 'ninechars', 9, undefined],
  ['one less', 'ninechars', 10, 'must have at least 10 characters'],
  ['characters of two code units', '🔑🔑🔑🔑', 8, 'must have at least 8 characters'],
  ['eight code points that NFKC makes seven', 'e\u0301bcdefg', 8, 'must have at least 8 characters'],
  ['128 characters', 'x'.repeat(128), 8, undefined],
  ['129 characters', 'x'.repeat(129), 8, 'must have at most 128 characters'],
  ['one of the most common', 'password123', 8, 'is among the most common ones'],
  ['one of the most common in capitals', 'QWERTYUIOP', 8, 'is among the most common ones'],
  ['one of the most common in full width', 'ｐａｓｓｗｏｒｄ', 8, 'is among the most common ones'],
  ['a common one with more to it', 'password1234', 8, undefined],
  ['the user name', 'Ada-Lovelace', 8, 'must not be the user name or the e-mail address'],
  ['the e-mail address', 'ada@EXAMPLE.org', 8, 'must not be the user name or the e-mail address'],
  ['more than the user name', 'ada-lovelace-1', 8, undefined],
])('%s', (_, password, minLength, fault) => {
  const refusal = refusalOf(() => requireAcceptablePassword(password, ada, minLength));
  expect(refusal?.message).toBe(fault === undefined ? undefined : `password: ${fault}`);
});

test('warns a user without a name only about the e-mail address', () => {
  const refusal = refusalOf(() => requireAcceptablePassword('ada@EXAMPLE.org', { email: ada.email }, 8));
  expect(refusal?.message).toBe('password: must not be the e-mail address');
});

test('an error names the field of the password in the request', () => {
  const refusal = refusalOf(() => requireAcceptablePassword('short', ada, 8, 'newPassword'));
  const message = 'must have at least 8 characters';
  expect(refusal).toMatchObject({
    kind: 'invalid_input',
    code: 'unsound_password',
    title: 'Password cannot be used',
    message: `newPassword: ${message}`,
    fields: [{ path: 'newPassword', code: 'unsound_password', message }],
  });
});
