import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WatchedServer, WatchedServerInput } from '@certloop/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Answer, type Received, runCertloop, serve } from '../../certloop.fixture.js';

let folder: string;
let list: string;
let spaces: { id: string; name: string }[];
/** Responses to calls that watch servers, before those that succeed. */
let refusals: Answer[];
/** Outcomes for servers, by host. */
let outcomes: Map<string, Partial<WatchedServer>[]>;
let service: Awaited<ReturnType<typeof serve>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'certloop-watch-'));
  list = join(folder, 'servers.txt');
  spaces = [{ id: 's1', name: 'Shop' }];
  refusals = [];
  outcomes = new Map();
  service = await serve((request) =>
    request.path === '/spaces' ? { status: 200, body: spaces } : (refusals.shift() ?? answerTo(request)),
  );
});
afterEach(async () => {
  service.close();
  await rm(folder, { recursive: true });
});

const sentIn = ({ body }: Received) => (body as { servers: WatchedServerInput[] }).servers;

function answerTo(request: Received): Answer {
  const servers = sentIn(request).map(({ host, port = 443, protocol = 'tls' }) => ({
    ...{ host, port, protocol, fqdn: host, sni: host, fqdnId: 'f', targetId: 't' },
    ...{ isNewFqdn: true, isNewTarget: true, isNewCertificate: true },
    served: {
      ...{
        issuer: 'CN=R12',
        serialNumber: '01',
        fingerprint: 'ab',
        dnsNames: [host],
        chain: [],
        verified: true,
      },
      ...{ notBefore: '2026-01-01T00:00:00.000Z', notAfter: '2026-04-01T00:00:00.000Z' },
    },
    ...outcomes.get(host)?.shift(),
  }));
  return { status: 200, body: { servers } };
}

const watch = (args: readonly string[], io?: Parameters<typeof runCertloop>[1]['io']) =>
  runCertloop(['watch', ...args], {
    env: { CERTLOOP_URL: service.url, CERTLOOP_TOKEN: 'clt_1', HOME: '/nonexistent' },
    ...(io !== undefined && { io }),
  });
const calls = () => service.received.filter(({ path }) => path.endsWith('/watched-servers'));
const hosts = (count: number) => Array.from({ length: count }, (_, index) => `h${index + 1}.example.test`);

test('sends at most 100 servers in a call, in the order of the list', async () => {
  await writeFile(list, ['# ours', '', ...hosts(250)].join('\n'));
  const { code, out } = await watch(['--file', list, '-o', 'json']);
  expect(code).toBe(0);
  expect(calls().map((call) => sentIn(call).length)).toEqual([100, 100, 50]);
  expect(JSON.parse(out).map(({ host }: WatchedServer) => host)).toEqual(hosts(250));
});

test('waits as long as a response of 429 asks', async () => {
  const later = { status: 429, body: { error: 'too_many', message: 'later' } };
  refusals = [{ ...later, headers: { 'Retry-After': '37' } }, later];
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  expect(await watch(['a.example.test'], { pause })).toMatchObject({ code: 0 });
  expect(pauses).toEqual([37_000, 10_000]);
  expect(calls()).toHaveLength(3);
});

test('sends servers again for which there was no time, and shows what the last call saw', async () => {
  outcomes.set('b.example.test', [
    { pending: true },
    { isNewFqdn: false, isNewTarget: false, isNewCertificate: true },
  ]);
  const { code, out } = await watch(['a.example.test', 'b.example.test', '-o', 'json']);
  expect(code).toBe(0);
  expect(calls().map((call) => sentIn(call).map(({ host }) => host))).toEqual([
    ['a.example.test', 'b.example.test'],
    ['b.example.test'],
  ]);
  const [, second] = JSON.parse(out);
  expect(second).toMatchObject({ isNewFqdn: true, isNewTarget: true });
  expect(second).not.toHaveProperty('pending');
});

test('judges all lines before it sends anything, and names those that are not understood', async () => {
  await writeFile(list, 'a.example.test\nb.example.test:0\n\nc.example.test/smpt\n');
  const { code, err } = await watch(['https://d.example.test', '--file', list]);
  expect(code).toBe(2);
  expect(err).toContain('nothing was sent');
  expect(err).toContain('server 1, "https://d.example.test", is an address of a page');
  expect(err).toContain('servers.txt: line 2, "b.example.test:0", has the port "0"');
  expect(err).toContain('servers.txt: line 4, "c.example.test/smpt", has the protocol "smpt"');
  expect(service.received).toEqual([]);
});

test.each([
  ['no server', [], /name the servers, or a list of them with --file/],
  ['an empty list', ['--file'], /servers.txt names no server/],
  ['more than 1,000 servers', ['--file', hosts(1001).join('\n')], /names 1001 servers; watch at most 1000/],
])('rejects %s', async (_, [option, text = '# none'], message) => {
  await writeFile(list, text);
  const { code, err } = await watch(option === undefined ? [] : [option, list]);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) });
  expect(service.received).toEqual([]);
});

test('needs --space if there are several spaces, and says how to create the first one', async () => {
  spaces = [];
  expect((await watch(['a.example.test'])).err).toMatch(/no space yet: .* certloop spaces create NAME/);
  spaces = [
    { id: 's1', name: 'Shop' },
    { id: 's2', name: 'Mail' },
  ];
  expect(await watch(['a.example.test'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('you may read Shop, Mail'),
  });
  expect(await watch(['a.example.test', '--space', 'Mail'])).toMatchObject({ code: 0 });
  expect(calls().map(({ path }) => path)).toEqual(['/spaces/s2/watched-servers']);
});

test('exits with 1 and says what to do if a server is refused or not reached', async () => {
  outcomes.set('a.example.test', [
    {
      served: undefined as never,
      failure: { stage: 'refused', failure: 'connection_refused', hint: 'a:443: nothing listens there.' },
    },
  ]);
  outcomes.set('b.example.test', [{ refusal: { code: 'port_not_allowed', message: 'ask the operator' } }]);
  const { code, out, err } = await watch([
    'a.example.test',
    'b.example.test:99',
    '--name',
    'www.example.test',
  ]);
  expect(code).toBe(1);
  expect(out).toMatch(/a\.example\.test:443 +not reached: connection_refused/);
  expect(out).toMatch(/b\.example\.test:99 +refused/);
  expect(err).toContain('a:443: nothing listens there. (refused)');
  expect(err).toContain('b.example.test:99: ask the operator');
  expect(calls().flatMap(sentIn)).toMatchObject([{ fqdn: 'www.example.test' }, { fqdn: 'www.example.test' }]);
});

test('exits with 3 if all servers were watched before, with --exit-code', async () => {
  outcomes.set('a.example.test', [{ isNewFqdn: false, isNewTarget: false, isNewCertificate: false }]);
  expect(await watch(['a.example.test', '--exit-code'])).toMatchObject({
    code: 3,
    out: expect.stringContaining('watched before'),
  });
});
