import { expect, test } from 'vitest';
import { processIo } from '../io.js';
import { readConnection } from './connection.js';
import { isAddress } from './connection-values.js';

const reading = (env: Record<string, string>) =>
  readConnection({ ...processIo(), env: { HOME: '/nonexistent', ...env } });

test.each([
  ['https://certs.example.org', true],
  ['http://127.0.0.1:3000/', true],
  ['ftp://certs.example.org', false],
  ['mailto:anna@example.org', false],
  ['certs.example.org', false],
  ['', false],
])('%j is an address: %s', (text, is) => {
  expect(isAddress(text)).toBe(is);
});

test('reads the environment for each service', async () => {
  const env = { CERTLOOP_URL: 'http://127.0.0.1:3000', CERTLOOP_TOKEN: 'clt_1' };
  await expect(reading(env)).resolves.toEqual({
    certManager: { url: 'http://127.0.0.1:3000', token: 'clt_1' },
  });
  await expect(reading({})).resolves.toEqual({});
});

test.each([
  [{ CERTLOOP_URL: 'http://a' }, 'CERTLOOP_URL is set, but not CERTLOOP_TOKEN'],
  [{ CERTLOOP_TOKEN: 'clt_1' }, 'CERTLOOP_TOKEN is set, but not CERTLOOP_URL'],
  [
    { CERTLOOP_URL: 'ftp://a', CERTLOOP_TOKEN: 'clt_1' },
    'CERTLOOP_URL is not an address: ftp://a; write it with its scheme',
  ],
  [
    { CERTLOOP_CREDENTIALS: '/nonexistent/file' },
    'CERTLOOP_CREDENTIALS: /nonexistent/file: there is no such file or folder',
  ],
])('%j is refused', async (env: Record<string, string>, sentence) => {
  await expect(reading(env)).rejects.toThrow(sentence);
});

test.each(['a\nb', 'a b', 'ü'])(
  'rejects a token that is invalid in a header, without showing it: %j',
  async (token) => {
    const refused = reading({ CERTLOOP_URL: 'http://a', CERTLOOP_TOKEN: token });
    await expect(refused).rejects.toThrow(
      /^CERTLOOP_TOKEN contains spaces or characters that are not allowed$/,
    );
  },
);
