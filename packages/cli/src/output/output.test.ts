import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { Argument, CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCertloop } from '../certloop.fixture.js';
import { processIo } from '../io.js';
import { createProgram } from '../program.js';

const spaces = [
  { id: 'a1', name: 'Shop', description: 'sells, "much"', createdAt: '2026-01-02T03:04:05.000Z' },
  { id: 'b2', name: 'Café', description: '', createdAt: '2026-02-03T04:05:06.000Z' },
];
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const isKnown = request.headers.authorization === 'Bearer clt_known';
    const body = isKnown ? spaces : { error: 'unauthenticated', message: 'this token is not known' };
    const type = { 'content-type': 'application/json' };
    response.writeHead(isKnown ? 200 : 401, type).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

/** Returns what a command line writes: on a terminal of so many columns, or to a pipe. */
function certloop(
  args: readonly string[],
  { columns, env = {} }: { columns?: number; env?: Record<string, string> } = {},
) {
  const known = { HOME: '/nonexistent', CERTLOOP_URL: url, CERTLOOP_TOKEN: 'clt_known' };
  return runCertloop(args, { env: { ...known, ...env }, columns });
}

describe('a list', () => {
  test.each([
    ['name', 'Shop\nCafé\n'],
    ['jsonpath=$[?@.name=="Shop"].id', 'a1\n'],
    ['jsonpath={[*].id}', 'a1\nb2\n'],
    ['csv', 'name,description,created,id\r\nShop,"sells, ""much""",2026-01-02,a1\r\nCafé,,2026-02-03,b2\r\n'],
    [
      'yaml',
      '- id: a1\n  name: Shop\n  description: sells, "much"\n  createdAt: 2026-01-02T03:04:05.000Z\n' +
        '- id: b2\n  name: Café\n  description: ""\n  createdAt: 2026-02-03T04:05:06.000Z\n',
    ],
    ['json', `${JSON.stringify(spaces, null, 2)}\n`],
  ])('is written as %s', async (format, out) => {
    expect(await certloop(['spaces', '-o', format])).toEqual({ code: 0, out, err: '' });
    expect(await certloop([`--output=${format}`, 'spaces', 'list'])).toMatchObject({ out });
  });

  test('is a table of the terminal’s columns, and whole in a pipe', async () => {
    const narrow = await certloop(['spaces'], { columns: 34 });
    expect(narrow.out.split('\n')[1]).toBe('Shop  sells, "muc…  2026-01-02  a1');
    expect((await certloop(['spaces', '-o', 'wide'], { columns: 34 })).out).toContain('sells, "much"');
    expect((await certloop(['spaces'])).out).toContain('sells, "much"');
  });
});

describe('an error', () => {
  const env = { CERTLOOP_TOKEN: 'clt_other' };

  test('is a sentence that says what to do', async () => {
    expect(await certloop(['spaces'], { env })).toEqual({
      code: 1,
      out: '',
      err: 'certloop: this token is not known; check CERTLOOP_TOKEN or CERTLOOP_MONITOR_KEY, or run certloop login\n',
    });
  });

  test.each([
    [['spaces', '-o', 'json'], env, 1, { code: 'unauthenticated' }],
    [
      ['spaces', '-ojson', '--nonsense'],
      {},
      2,
      { code: 'usage', message: expect.stringMatching(/--nonsense/) },
    ],
    [['spaces', 'delete', 'gone', '--output=json'], {}, 1, { code: 'not_found' }],
    [
      ['check-files', '--cert', '/', '-o', 'json'],
      {},
      2,
      { message: '--cert: /: it is a folder, not a file; name a file' },
    ],
    [['issue', '/', '-s', 'Shop', '-o', 'json'], {}, 1, { code: 'failed', message: '1 of 1 failed' }],
  ])('is JSON for %j', async (args, given, exitCode, error) => {
    const { code, err } = await certloop(args, { env: given });
    expect(code).toBe(exitCode);
    expect(JSON.parse(err)).toMatchObject({ error: { exitCode, ...error } });
  });

  test.each([
    [['certificates', 'import', 'x', '/nonexistent/x'], {}, 'x'],
    [['ping', 'http://127.0.0.1:9', '--body', '/'], {}, '/: it is a folder, not a file; name a file'],
    [
      ['ping', 'http://127.0.0.1:9', '--body', '/nonexistent'],
      {},
      '/nonexistent: there is no such file or folder; check the path',
    ],
    [
      ['spaces'],
      { CERTLOOP_URL: 'http://127.0.0.1:2' },
      'does not answer: nothing listens there; check the address',
    ],
  ])('has no code of the system: %j', async (args, given, sentence) => {
    const { err } = await certloop(args, { env: given });
    expect(err).toContain(sentence);
    expect(err).not.toMatch(/\bE[A-Z]{4,}\b|\n {4}at /);
  });
});

/** Command lines of every command that calls a service or reads a file: one for each file, folder and address. */
function faultyCommandLines(): string[][] {
  const program = createProgram([], processIo(), () => undefined);
  const all = (command: Command, path: string[]): [string[], Command][] =>
    command.commands.length === 0
      ? [[path, command]]
      : command.commands.flatMap((each) => all(each, [...path, each.name()]));
  const outside = ['install', 'version', 'completion', 'complete-words', 'admin'];
  return all(program, [])
    .filter(([[first = '']]) => !outside.includes(first))
    .flatMap(([path, command]) => {
      const given = command.registeredArguments.map((argument) => fillerFor(argument));
      const needed = command.options
        .filter(({ mandatory }) => mandatory)
        .flatMap((option) => [option.long ?? '', fillerFor(option)]);
      const whole = [...path, ...given, ...needed];
      const places = command.options.filter(({ flags }) => /[<[](file|dir|folder|url)/.test(flags));
      return [
        whole,
        ...places.flatMap((option) =>
          wrongValues(option).map((value) => [...whole, option.long ?? '', value]),
        ),
      ];
    });
}

function fillerFor(value: Argument | Option): string {
  const kind = 'flags' in value ? value.flags : value.name();
  if (/places?$/.test(kind)) return '127.0.0.1:2';
  if (kind.includes('folder')) return '/dev/null/x';
  return value.argChoices?.[0] ?? (/file|csr/.test(kind) ? '/nonexistent/file' : 'x');
}

// nothing is ever written: no folder can be created below a file
function wrongValues({ flags }: Option): string[] {
  if (flags.includes('url')) return ['http://127.0.0.1:2', 'no address'];
  return flags.includes('file') ? ['/nonexistent/file', '/', '/dev/null/x'] : ['/dev/null/x'];
}

test('no command shows a system error code, a stack trace or an internal error', async () => {
  const lines = faultyCommandLines();
  expect(lines.length).toBeGreaterThan(120);
  const [url, key] = ['http://127.0.0.1:2', 'x'];
  const away = {
    CERTLOOP_URL: url,
    CERTLOOP_MONITOR_URL: url,
    CERTLOOP_MONITOR_KEY: key,
    CERTLOOP_CA_URL: url,
  };
  const ugly = /\bE[A-Z]{4,}\b|ERR_|\n {4}at |unexpected fault|\bundefined\b|\[object/;
  for (const line of lines) {
    for (const given of [away, {}]) {
      const { code, err } = await certloop(line, { env: { XDG_CONFIG_HOME: '/dev/null/x', ...given } });
      expect({ line, err }).toEqual({ line, err: expect.not.stringMatching(ugly) });
      if (code !== 0)
        expect({ line, err }).toEqual({ line, err: expect.stringMatching(/^certloop: .{10,}\n$/m) });
    }
  }
});

test('--quiet leaves answers alone, and --verbose shows calls without secrets', async () => {
  const quiet = await certloop(['spaces', '-q', '-o', 'name']);
  expect(quiet).toEqual({ code: 0, out: 'Shop\nCafé\n', err: '' });
  const { err } = await certloop(['spaces', '-v']);
  expect(err).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/spaces 200, \d+ ms\n$/);
});

test.each([
  [{}, 'result: \u001b[32m✓ well\u001b[39m'],
  [{ NO_COLOR: '1' }, 'result: ✓ well'],
  [{ TERM: 'dumb' }, 'result: well'],
])('a state has its glyph and colour on a terminal with %j', async (env, shown) => {
  const { createReport } = await import('./report.js');
  let out = '';
  const sink = Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        out += String(chunk);
        done();
      },
    }),
    { isTTY: true },
  );
  createReport({ ...processIo(), env, out: sink }, { format: { kind: 'table' }, isQuiet: false }).thing(
    {},
    () => ({
      result: 'well',
    }),
  );
  expect(out).toBe(`${shown}\n`);
});
