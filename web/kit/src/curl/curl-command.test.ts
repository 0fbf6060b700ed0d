import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { curlCommand, type WrittenRequest } from './curl-command.js';

const url = 'https://certs.example.org/spaces';

/** The words that a shell makes of a command. */
function wordsOf(command: string, variables: Readonly<Record<string, string>> = {}): string[] {
  const text = execFileSync('/bin/sh', ['-c', `set -- ${command}; printf '%s\\0' "$@"`], {
    env: { TOKEN: 'the-token', CSRF_TOKEN: 'the-csrf-token', ...variables },
  });
  return String(text).split('\0').slice(1, -1);
}

describe('a command', () => {
  test.each<[string, WrittenRequest, readonly string[]]>([
    [
      'reads with a token',
      { method: 'GET', url: `${url}?q=a&limit=100`, by: 'token' },
      ['-H', 'Authorization: Bearer the-token', `${url}?q=a&limit=100`],
    ],
    [
      'writes JSON with quotes, blanks, dollars and backslashes in it',
      { method: 'POST', url, body: JSON.stringify({ name: `it's "$HOME" \\ \`id\`` }), by: 'token' },
      [
        '-H',
        'Authorization: Bearer the-token',
        '-H',
        'Content-Type: application/json',
        '-d',
        JSON.stringify({ name: `it's "$HOME" \\ \`id\`` }),
        url,
      ],
    ],
    [
      'deletes without a body',
      { method: 'DELETE', url, by: 'token' },
      ['-X', 'DELETE', '-H', 'Authorization: Bearer the-token', url],
    ],
    ['reads with cookies', { method: 'GET', url, by: 'cookies' }, ['-b', 'cookies', url]],
    [
      'writes with cookies, from the origin of the service and with the CSRF token',
      { method: 'PUT', url, body: '{}', by: 'cookies' },
      [
        '-X',
        'PUT',
        '-b',
        'cookies',
        '-H',
        'Origin: https://certs.example.org',
        '-H',
        'X-CSRF-Token: the-csrf-token',
        '-H',
        'Content-Type: application/json',
        '-d',
        '{}',
        url,
      ],
    ],
    [
      'uploads a file by its name',
      {
        method: 'POST',
        url,
        body: [
          { name: 'csr', value: `my server's.csr`, isFile: true },
          { name: 'note', value: 'first one', isFile: false },
        ],
        by: 'token',
      },
      ['-H', 'Authorization: Bearer the-token', '-F', `csr=@my server's.csr`, '-F', 'note=first one', url],
    ],
  ])('%s', (_, request, words) => {
    expect(wordsOf(curlCommand(request))).toEqual(words);
  });

  test('contains variables for secrets, by their names or by those that a form names', () => {
    const body = {
      username: 'ada',
      password: 'pass-1',
      config: { eab: { kid: 'kid-1', hmacKey: 'hmac-1' } },
      settings: { url: 'https://hooks.example.org/abc', headers: { Authorization: 'header-1' }, note: '' },
    };
    const request = { method: 'POST', url, body: JSON.stringify(body), by: 'token' } as const;
    const command = curlCommand(request, ['settings.url', 'settings.headers']);
    expect(command).not.toMatch(/pass-1|hmac-1|hooks|header-1/);
    const words = wordsOf(command, { PASSWORD: 'p', HMAC_KEY: 'h', URL: 'u', HEADERS: 'x' });
    expect(JSON.parse(words[words.length - 2] ?? '')).toEqual({
      username: 'ada',
      password: 'p',
      config: { eab: { kid: 'kid-1', hmacKey: 'h' } },
      settings: { url: 'u', headers: { Authorization: 'x' }, note: '' },
    });
  });
});
