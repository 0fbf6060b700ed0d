import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEachDialect } from '@certloop/db/testing';
import { type BothWays, faultsAt, type Place, serveBothWays } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerUnparsed } from '../../src/http/unparsed-requests.responder.js';
import { startApp, type TestApp } from '../support/app.js';

const json = { 'Content-Type': 'application/json' };
const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' };
const form = '--b\r\nContent-Disposition: form-data; name="other"\r\n\r\nx\r\n--b--\r\n';
const signedIn = { Authorization: 'ADA' };
const noId = '0e5e2f0c-0000-4000-8000-000000000000';

/** One place of each router; `ADA` is the credential of an administrator. */
const places: readonly Place[] = [
  { method: 'GET', path: '/health', status: 200 },
  { method: 'GET', path: '/health/live', status: 200 },
  { method: 'GET', path: '/metrics', status: 200 },
  { method: 'GET', path: '/.well-known/acme-challenge/abcdefghijklmnopqrst', status: 404 },
  { method: 'GET', path: '/acme/directory', status: 200 },
  {
    method: 'POST',
    path: '/acme/new-account',
    headers: { 'Content-Type': 'application/jose+json' },
    body: '{}',
    status: 400,
    orStatus: 415,
  },
  { method: 'GET', path: '/openapi.json', status: 200 },
  { method: 'GET', path: '/ui/', status: 200 },
  { method: 'GET', path: '/ui/assets/app.js', status: 200 },
  { method: 'GET', path: '/ui/assets/none.js', status: 404 },
  { method: 'POST', path: '/ui/', body: 'abc', status: 405 },
  { method: 'GET', path: '/auth/state', status: 200 },
  { method: 'POST', path: '/auth/login', headers: json, body: '{}', status: 400 },
  { method: 'GET', path: '/spaces', status: 401 },
  { method: 'GET', path: '/spaces', headers: signedIn, status: 200 },
  {
    method: 'POST',
    path: '/spaces',
    headers: { ...json, ...signedIn },
    body: '{}',
    status: 400,
    orStatus: 415,
  },
  {
    method: 'POST',
    path: `/spaces/${noId}/fqdns/${noId}/csr`,
    headers: { ...multipart, ...signedIn },
    body: form,
    status: 400,
    orStatus: 404,
  },
  { method: 'GET', path: '/audit-logs', headers: signedIn, status: 200 },
  { method: 'GET', path: '/nothing', status: 404 },
];

describeEachDialect('broken requests are answered in order, and end nothing', (open) => {
  let folder: string;
  let app: TestApp;
  let ways: BothWays;
  let challenges: BothWays;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'certloop-console-'));
    await writeFile(join(folder, 'index.html'), '<html><head></head><body>console</body></html>');
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'assets/app.js'), 'void 0;');
    const environment = {
      METRICS_OPEN: 'true',
      CERT_MANAGER_REQUESTS_PER_MINUTE: '100000',
      CERT_MANAGER_SPACE_REQUESTS_PER_MINUTE: '100000',
    };
    app = await startApp(open, { consoleFolder: folder, environment });
    ways = await serveBothWays(app.http, answerUnparsed);
    challenges = await serveBothWays(app.challengeHttp, answerUnparsed);
  });
  afterAll(async () => {
    await Promise.all([ways.close(), challenges.close()]);
    await app.close();
    await rm(folder, { recursive: true });
  });

  describe.each(['TCP', 'TLS'] as const)('over %s', (way) => {
    test('at the port for challenges', async () => {
      const place = {
        method: 'GET',
        path: '/.well-known/acme-challenge/abcdefghijklmnopqrst',
        status: 404,
      } as const;
      expect(await faultsAt(place, challenges[way])).toEqual([]);
    });

    test.each(places)('at $method $path', async (place) => {
      const { Authorization } = app.people.ada.auth;
      const headers = {
        ...place.headers,
        ...(place.headers?.['Authorization'] === 'ADA' && { Authorization }),
      };
      expect(await faultsAt({ ...place, headers }, ways[way])).toEqual([]);
      expect(app.logged().filter(({ level }) => level === 'error')).toEqual([]);
    });
  });
});
