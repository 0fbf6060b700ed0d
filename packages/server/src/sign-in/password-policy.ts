import { InvalidInput } from '@certloop/contracts';

/** The most common ones of published leaks that are long enough to pass otherwise. */
const common = new Set([
  '00000000',
  '11111111',
  '12341234',
  '12345678',
  '123456789',
  '1234567890',
  '1q2w3e4r',
  '1q2w3e4r5t',
  '1qaz2wsx',
  '87654321',
  '88888888',
  '987654321',
  'aa123456',
  'abc12345',
  'abcd1234',
  'admin123',
  'administrator',
  'baseball',
  'changeme',
  'changeme123',
  'football',
  'iloveyou',
  'letmein1',
  'password',
  'password1',
  'password123',
  'passw0rd',
  'p@ssw0rd',
  'qwerty123',
  'qwertyuiop',
  'sunshine',
  'trustno1',
  'welcome1',
]);

const maxCharacters = 128;

/** Names of a user; no name where a mail address is all that anybody signs in with. */
interface PasswordOwner {
  readonly username?: string;
  readonly email: string;
}

/**
 * Throws InvalidInput unless the password may be used: long enough, none of the most common ones, neither the
 * user's name nor their mail address. There are no rules of composition (NIST SP 800-63B §5.1.1.2).
 * `minLength` is in characters, `field` the name that the password has in the request.
 */
export function requireAcceptablePassword(
  password: string,
  user: PasswordOwner,
  minLength: number,
  field = 'password',
): void {
  const fault = passwordFault(password.normalize('NFKC'), user, minLength);
  if (fault === undefined) return;
  throw new InvalidInput(`${field}: ${fault}`, {
    code: 'unsound_password',
    title: 'Password cannot be used',
    fields: [{ path: field, code: 'unsound_password', message: fault }],
  });
}

function passwordFault(
  password: string,
  { username, email }: PasswordOwner,
  minLength: number,
): string | undefined {
  const { length } = [...password];
  if (length < minLength) return `must have at least ${minLength} characters`;
  if (length > maxCharacters) return `must have at most ${maxCharacters} characters`;
  const lower = password.toLowerCase();
  if (lower === username?.toLowerCase() || lower === email.toLowerCase()) {
    return username === undefined
      ? 'must not be the e-mail address'
      : 'must not be the user name or the e-mail address';
  }
  return common.has(lower) ? 'is among the most common ones' : undefined;
}
