import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEachDialect } from '@certloop/db/testing';
import { type BothWays, faultsAt, type Place, serveBothWays } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerUnparsed } from '../../src/projects/unparsed-requests.responder.js';
import { openTestApp, type TestApp } from '../support/app.js';

const json = { 'Content-Type': 'application/json' };
const noUuid = '62e13f6b-a7b9-4926-8d1a-222222222222';

/** One place of each router, and every kind of ping address; `UUID` and `KEY` are those of a check and its project. */
const places: readonly Place[] = [
  { method: 'GET', path: '/ping/UUID', status: 200 },
  { method: 'POST', path: '/ping/UUID', body: 'done', status: 200 },
  { method: 'POST', path: '/ping/UUID/fail', body: 'no room', status: 200 },
  {
    method: 'POST',
    path: '/ping/UUID/1',
    headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
    body: 'traced',
    status: 200,
  },
  { method: 'GET', path: '/ping/PING-KEY/none', status: 404 },
  { method: 'GET', path: `/ping/${noUuid}`, status: 404 },
  { method: 'POST', path: '/ping/nonsense', body: 'done', status: 404 },
  { method: 'GET', path: '/api/v3/checks/', headers: { 'X-Api-Key': 'KEY' }, status: 200 },
  { method: 'GET', path: '/api/v1/checks/', status: 401 },
  {
    method: 'POST',
    path: '/api/v3/checks/UUID',
    headers: { ...json, 'X-Api-Key': 'KEY' },
    body: '{"name":"Backup"}',
    status: 200,
  },
  { method: 'POST', path: '/api/v3/checks/', headers: json, body: '{}', status: 401 },
  { method: 'GET', path: '/api/v3/status/', status: 200 },
  { method: 'GET', path: '/api/v3/metrics/', status: 403 },
  { method: 'GET', path: '/api/account/state', status: 200 },
  { method: 'POST', path: '/api/account/login', headers: json, body: '{}', status: 400 },
  { method: 'POST', path: '/api/account/projects', headers: json, body: '{}', status: 401 },
  { method: 'POST', path: '/api/v3/notifications/none/status', body: 'abc', status: 404, orStatus: 200 },
  { method: 'GET', path: '/badge/none.svg', status: 404 },
  { method: 'GET', path: '/integrations/none/', status: 404 },
  { method: 'GET', path: '/cloaked/none/', status: 404 },
  { method: 'GET', path: '/projects/none/metrics/none', status: 404 },
  { method: 'GET', path: '/metrics', status: 200 },
  { method: 'GET', path: '/openapi.json', status: 200 },
  { method: 'GET', path: '/health/live', status: 200 },
  { method: 'GET', path: '/health/ready', status: 200 },
  { method: 'GET', path: '/ui/', status: 200 },
  { method: 'POST', path: '/ui/', body: 'abc', status: 405 },
  { method: 'GET', path: '/ui/assets/app.js', status: 200 },
  { method: 'GET', path: '/ui/assets/none.js', status: 404 },
  { method: 'GET', path: '/nothing', status: 404 },
];

describeEachDialect('broken requests are answered in order, and end nothing', (open) => {
  const errors: unknown[] = [];
  let folder: string;
  let app: TestApp;
  let ways: BothWays;
  let named: (text: string) => string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'certloop-console-'));
    writeFileSync(join(folder, 'index.html'), '<html><head></head><body>console</body></html>');
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets/app.js'), 'void 0;');
    const write = (line: string) => {
      const entry = JSON.parse(line) as { level: string };
      if (entry.level === 'error') errors.push(entry);
    };
    app = await openTestApp(open, { metricsOpen: true }, { consoleFolder: folder, logTo: { write } });
    const ada = await app.newProject();
    const { uuid } = await ada.check();
    named = (text) =>
      text.replace('UUID', uuid).replace('PING-KEY', ada.keys.pingKey).replace('KEY', ada.keys.readWriteKey);
    ways = await serveBothWays(app.handler, answerUnparsed);
  });
  afterAll(async () => {
    await ways.close();
    await app.close();
    rmSync(folder, { recursive: true });
  });

  describe.each(['TCP', 'TLS'] as const)('over %s', (way) => {
    test.each(places)('at $method $path', async (place) => {
      const { path, headers = {} } = place;
      const own = Object.entries(headers).map(([name, value]) => [name, named(value)] as const);
      const here = { ...place, path: named(path), headers: Object.fromEntries(own) };
      expect(await faultsAt(here, ways[way])).toEqual([]);
      expect(errors).toEqual([]);
    });
  });
});
