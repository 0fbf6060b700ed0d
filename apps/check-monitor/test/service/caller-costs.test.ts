import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  accountBasePath,
  accountContract,
  badgeContract,
  type Contract,
  checkMonitorContract,
  type Endpoint,
  earlierCheckMonitorContract,
  pingContract,
  probesContract,
} from '@certloop/contracts';
import { hangMs } from '@certloop/contracts/testing';
import {
  type CostlyCall,
  callsOf,
  faultsOfCosts,
  measureCalls,
  uncalledRoutes,
  writeCosts,
} from '@certloop/server/testing';
import { expect, test, vi } from 'vitest';
import { apiVersions } from '../../src/projects/caller.js';
import { newPerson, newProject } from '../support/browser.js';
import { copyCheck } from '../support/copy-check.js';
import { insertTestChannel } from '../support/factories.js';
import { describeMonitor, type Stage } from '../support/suite.js';

// there are thousands of requests
vi.setConfig({ testTimeout: 3 * hangMs, hookTimeout: 3 * hangMs });

const none = '00000000-0000-4000-8000-000000000000';
/** What is read for a key in it, and what is read without any. */
const keyBytes = 65_536;
const publicBytes = 16_384;
const maxBytes = 2_621_440;
/** Ten of the largest bodies at once would measure the connection; some of those below are as large. */
const heldBytes = 131_072;

/** Paths that no contract has. */
const otherCalls: readonly CostlyCall[] = [
  ...apiVersions.flatMap((version) => [
    ['POST', `/api/v${version}/notifications/${none}/status`, publicBytes, 'form'],
    ['POST', `/api/v${version}/bounces/`, keyBytes, 'mail'],
    ['POST', `/api/v${version}/status/`, 0],
    ['GET', `/api/v${version}/metrics/`, 0],
  ]),
  ...['GET', 'POST'].flatMap((method) => [
    [method, `/integrations/${none}/verify/x`, 0],
    [method, `/integrations/${none}/unsub/x`, 0],
  ]),
  ['GET', '/integrations/', 0],
  ['GET', '/badge/', 0],
  ['GET', `/cloaked/${'a'.repeat(40)}/?s=${'a'.repeat(22)}`, 0],
  ['GET', '/cloaked/', 0],
  ['GET', `/projects/${none}/metrics/${'x'.repeat(32)}`, 0],
  ['GET', `/projects/${none}/metrics`, 0],
  ['GET', `/projects/${none}/checks/metrics/${'x'.repeat(32)}`, 0],
  ['GET', `/projects/${none}/checks`, 0],
  ['GET', `/checks/${none}/details`, 0],
  ['GET', '/accounts/login', 0],
  ['GET', '/metrics', 0],
  ['GET', '/openapi.json', 0],
  ['GET', '/docs', 0],
  ['GET', '/docs/', 0],
  ['GET', '/docs/x/y', 0],
  ['GET', '/', 0],
  ['GET', '/ui', 0],
  ['GET', '/ui/', 0],
  ['GET', '/ui/assets/x', 0],
  ['POST', '/ui/', 0],
  ['POST', '/nothing', 0],
  ['GET', `/api/v3/checks/?${'tag=a&'.repeat(1_300)}`, 0],
  ['POST', `${accountBasePath}/projects/${none}/v3/checks/`, maxBytes],
].map(([method, path, bytes, kind = 'json']) => {
  const name = `${method} ${String(path).split('?')[0]}`;
  return { name, method: String(method), path: String(path), maxBytes: Number(bytes), kind: kind as 'json' };
});

const login = JSON.stringify({ email: `${'a'.repeat(240)}@b.example`, password: 'x'.repeat(1_000) });

function ofStrangers(uuid: string): CostlyCall[] {
  const byKey = () => ({ maxBytes: keyBytes });
  return [
    ...callsOf(checkMonitorContract, '/api/v3', byKey),
    ...callsOf(earlierCheckMonitorContract, '/api/v1', byKey),
    ...callsOf(checkMonitorContract, '/api/v2', () => ({
      maxBytes: keyBytes,
      headers: { 'X-Api-Key': 'x'.repeat(32) },
    })),
    ...callsOf(accountContract as Contract, accountBasePath, (operation, endpoint) => ({
      maxBytes: publicBytes,
      ...(endpoint.public === true && {
        bodies: [{ name: operation, contentType: 'application/json', bytes: Buffer.from(login) }],
      }),
    })),
    ...callsOf(checkMonitorContract, `${accountBasePath}/projects/${none}/v3`, () => ({ maxBytes: 0 })),
    ...callsOf(
      pingContract,
      '',
      () => ({ maxBytes }),
      (name) => (name === 'uuid' ? uuid : 'x'.repeat(22)),
    ),
    ...callsOf(badgeContract, '', () => ({ maxBytes: 0 })),
    ...callsOf(probesContract, '', () => ({ maxBytes: 0 })),
    ...otherCalls,
  ];
}

const consoleFolder = mkdtempSync(join(tmpdir(), 'certloop-console-'));
writeFileSync(join(consoleFolder, 'index.html'), '<html><head></head><body>console</body></html>');

/** Each call with each of the queries of its operation too. */
function withQueries(calls: readonly CostlyCall[], queries: Readonly<Record<string, readonly string[]>>) {
  const searches = calls.flatMap((call) =>
    (queries[call.name] ?? []).map((query) => ({
      ...call,
      name: `${call.name} ${query.slice(0, 20)}`,
      path: `${call.path}?${query}`,
    })),
  );
  return [...searches, ...calls];
}

const manyTags = Array.from({ length: 250 }, (_, n) => String.fromCharCode(0x400 + n));
const tagQuery = manyTags.map((tag) => `tag=${encodeURIComponent(tag)}`).join('&');
const ofKeys = { listChecks: [tagQuery, `slug=${'a'.repeat(10_000)}`], listFlips: ['seconds=31536000'] };
const yearly = 'schedule=0+0+29+2+0%235&kind=cron&tz=Europe/Riga&count=10';
const ofSessions = {
  listAccountChecks: [
    `q=${'a'.repeat(199)}b&sort=attention&limit=1000&include=state`,
    `${tagQuery}&sort=attention&limit=1000&include=state`,
  ],
  getCheckStates: [`ids=${Array.from({ length: 100 }, () => none).join()}`],
  listAccountFlips: ['seconds=31536000'],
  previewSchedule: [yearly, `kind=cron&schedule=${'a'.repeat(5_000)}`],
  listEvents: ['limit=100'],
  getDowntimes: ['days=93&tz=Europe/Riga'],
  getDurations: ['points=300'],
  listProjects: ['include=counts'],
  listAccountChannels: ['include=counts'],
};
/** These end what other calls need: in this order they come last. */
const ending = ['clearCheck', 'moveCheck', 'revokeKey', 'deleteChannel', 'deleteProject', 'logout'];

function describeCosts(stage: Stage): void {
  const measure = async (calls: readonly CostlyCall[], name: string) => {
    const { uuid } = await stage.ben.check();
    const { port } = stage.app.address();
    const costs = await measureCalls({
      port,
      calls,
      beside: [`/ping/${uuid}`, '/health/live'],
      allowedMs: 50,
    });
    writeCosts(name, costs.costs);
    return faultsOfCosts(costs);
  };

  test('every path that is served is called', async () => {
    expect(await uncalledRoutes(stage.app.handler, ofStrangers(none))).toEqual([]);
  });

  test('those without credentials hold no one up with any operation', async () => {
    const { uuid } = await stage.ada.check();
    expect(await measure(ofStrangers(uuid), 'check-monitor-strangers')).toEqual([]);
  });

  test('the holder of a key holds no one up with any operation', async () => {
    const { uuid } = await stage.ada.check();
    const channel = await insertTestChannel(stage.app, stage.ada.keys.projectId, 'ops');
    const headers = { 'X-Api-Key': stage.ada.keys.readWriteKey };
    const isOwn = ([name]: [string, Endpoint]) => name !== 'revokeOwnKey' && name !== 'deleteCheck';
    const contract = Object.fromEntries(Object.entries(checkMonitorContract as Contract).filter(isOwn));
    const calls = callsOf(
      contract,
      '/api/v3',
      (_, { method }) =>
        method === 'POST' ? { headers, maxBytes: heldBytes, bodies: costlyChecks } : { headers, maxBytes: 0 },
      (name, operation) => (name !== 'id' ? '1' : operation === 'testIntegration' ? channel : uuid),
    );
    expect(await measure(withQueries(calls, ofKeys), 'check-monitor-keys')).toEqual([]);
  });

  test('a user who is signed in holds no one up with any operation', async () => {
    const person = await newPerson(stage);
    const projectId = await newProject(person);
    const check = { name: 'a'.repeat(90), tags: manyTags.join(' ') };
    const made = await person.send('post', `/projects/${projectId}/v3/checks/`, check).expect(201);
    const checkId = made.body.uuid as string;
    await stage.app.database.transaction((tx) => copyCheck(tx, checkId, 1_000, '22222222'));
    const channelId = await insertTestChannel(stage.app, projectId, 'ops');
    const headers = {
      ...{ Cookie: person.cookie, 'X-CSRF-Token': person.csrfToken, 'Sec-Fetch-Site': 'same-origin' },
    };
    const ids: Readonly<Record<string, string>> = { projectId, checkId, channelId, n: '1', kind: 'ping' };
    const isTheirs = ([, endpoint]: [string, Endpoint]) => endpoint.public !== true;
    const calls = callsOf(
      Object.fromEntries(Object.entries(accountContract as Contract).filter(isTheirs)),
      accountBasePath,
      (_, { body }) => ({ headers, maxBytes: body === undefined ? 0 : heldBytes }),
      (name) => ids[name] ?? none,
    );
    const all = calls.toSorted((one, other) => ending.indexOf(one.name) - ending.indexOf(other.name));
    expect(await measure(withQueries(all, ofSessions), 'check-monitor-users')).toEqual([]);
  });
}

describeMonitor('what callers may cost', describeCosts, {}, { consoleFolder });

const costlyChecks = [
  { tags: Array.from({ length: 250 }, (_, n) => String.fromCharCode(97 + (n % 26))).join(' ') },
  { schedule: `${Array.from({ length: 60 }, (_, n) => n).join(',')} * * * *`.slice(0, 100) },
  { schedule: '0 0 29 2 0#5', tz: 'Europe/Riga' },
  { channels: Array.from({ length: 1_700 }, () => none).join(',') },
  { name: 'x'.repeat(2_000_000) },
  { unique: Array.from({ length: 900 }, () => 'name') },
  { desc: 'ü'.repeat(65_536) },
  { desc: '"'.repeat(1_300_000) },
].map((body) => ({
  name: Object.keys(body).join(),
  contentType: 'application/json',
  bytes: Buffer.from(JSON.stringify(body)),
}));
