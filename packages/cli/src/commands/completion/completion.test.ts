import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { processIo } from '../../io.js';
import { run } from '../../run.js';
import { readBashLine } from './bash-line.js';

async function certloop(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  let out = '';
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      out += String(chunk);
      done();
    },
  });
  const io = { ...processIo(), env: { HOME: '/nonexistent', ...env }, out: sink, err: sink };
  expect(await run(args, io)).toBe(0);
  return out;
}

test.each([
  [['sp'], 'spaces\tSpaces: list, get, create, update, delete; their issuance policy\n'],
  [['spaces', 'cre'], 'create\tCreate a space\n'],
  [['groups', 'create', 'x', '--permission', 'READ'], 'READ\nREAD_WRITE\n'],
  [['renewals', 'list', '--sta'], '--status\tonly entries of one status\n'],
  [['renewals', '--sta'], '--status\tonly entries of one status\n'],
  [['renewals', 'list', '--status', 'proc'], 'processing\n'],
  [['fqdns', 'renewal', 'a.test', 'o'], 'off\non\n'],
  [['completion', ''], 'bash\nfish\nzsh\n'],
  [['renewals', '--status=proc'], '--status=processing\n'],
  [['renewals', '--status=', 'proc'], ''],
  [['spaces', 'list', '-o', 'j'], 'json\njsonpath=\n'],
  [['checks', 'create', 'x', '--tz', 'Europe/Berl'], 'Europe/Berlin\n'],
  [['run', 'x', '--', 'sp'], ''],
  [['spaces', 'create', 'Sh'], ''],
  [['spaces', 'get', 'Sh'], ''],
  [['nonsense', ''], ''],
])('%j completes to %j', async (words, found) => {
  expect(await certloop(['complete-words', '--', ...words])).toBe(found);
});

test('a service that does not answer offers nothing, and holds the prompt only for a moment', async () => {
  const calls: string[] = [];
  const server = createServer(({ url = '' }) => void calls.push(url)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { CERTLOOP_URL: url, CERTLOOP_TOKEN: 'clt_1' };
  // calls of services end after 150 s, and this test after 60 s
  expect(await certloop(['complete-words', '--', 'spaces', 'get', ''], env)).toBe('');
  expect(calls).toEqual(['/spaces']);
  server.closeAllConnections();
  server.close();
});

test('what takes a password is not asked for', async () => {
  const env = { CERTLOOP_MONITOR_URL: 'http://127.0.0.1:9', CERTLOOP_MONITOR_EMAIL: 'anna@example.test' };
  expect(await certloop(['complete-words', '--', 'projects', 'get', ''], env)).toBe('');
});

test.each([
  ['certloop spaces get On', 'On', ['certloop', 'spaces', 'get', 'On'], String.raw`Online\ shop`],
  ['certloop spaces get ', '', ['certloop', 'spaces', 'get', ''], String.raw`Online\ shop`],
  ["certloop spaces get 'Online s", 'Online s', ['certloop', 'spaces', 'get', 'Online s'], 'Online shop'],
  [
    String.raw`certloop get Online\ s`,
    String.raw`Online\ s`,
    ['certloop', 'get', 'Online s'],
    String.raw`Online\ shop`,
  ],
  ['certloop get Onl', 'nl', ['certloop', 'get', 'Onl'], String.raw`nline\ shop`],
  ['certloop "a b"  \'c"d\'e ""f', 'f', ['certloop', 'a b', 'c"de', 'f'], String.raw`Online\ shop`],
])('bash replaces the end of %j, %j', (line, replaced, words, reply) => {
  const read = readBashLine(line, replaced);
  expect(read.words).toEqual(words);
  expect(read.replyFor('Online shop')).toBe(reply);
});

test.each([
  ['x ', '\\$a\\\'b\\"日'],
  ['x "', '\\$a\'b\\"日'],
  ["x '", "$a'\\''b\"日"],
])('after %j, a name is quoted as %s', (line, reply) => {
  expect(readBashLine(line, '').replyFor('$a\'b"日')).toBe(reply);
});
