import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@certloop/server';
import { type BothWays, faultsAt, type Place, serveBothWays } from '@certloop/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStateFile } from '../../src/authority/state.store.js';
import { answerUnparsed } from '../../src/signing/unparsed-requests.responder.js';
import { createTestAcme } from '../support/acme.js';
import { csrField } from '../support/csrs.js';

const json = { 'Content-Type': 'application/json' };
const jose = { 'Content-Type': 'application/jose+json' };

const places: readonly Place[] = [
  {
    method: 'POST',
    path: '/csr',
    headers: json,
    body: JSON.stringify({ csr: csrField(), action: 'sign' }),
    status: 200,
  },
  { method: 'GET', path: '/csr', status: 405 },
  { method: 'GET', path: '/root', status: 200 },
  { method: 'GET', path: '/certificate/none', status: 404 },
  { method: 'GET', path: '/health', status: 200 },
  { method: 'GET', path: '/metrics', status: 200 },
  { method: 'GET', path: '/', headers: { Accept: 'text/html' }, status: 200 },
  { method: 'GET', path: '/openapi.json', status: 200 },
  { method: 'GET', path: '/nothing', status: 404 },
  // an invalid OCSP request is a response of OCSP's own
  { method: 'POST', path: '/ocsp', body: 'abc', status: 200 },
  { method: 'GET', path: '/ocsp/MAA=', status: 200 },
  { method: 'GET', path: '/certificate-status/00', status: 404 },
  { method: 'GET', path: '/acme/directory', status: 200 },
  { method: 'GET', path: '/acme/new-nonce', status: 204 },
  { method: 'POST', path: '/acme/new-account', headers: jose, body: '{}', status: 400 },
  { method: 'POST', path: '/acme/new-order', headers: jose, body: '{}', status: 400 },
  { method: 'POST', path: '/acme/revoke-cert', headers: json, body: '{}', status: 415 },
  { method: 'POST', path: '/acme/challenges/none/http-01', headers: jose, body: '{}', status: 400 },
  { method: 'GET', path: '/acme/renewal-info/none', status: 400 },
  { method: 'GET', path: '/admin/faults', status: 200 },
  { method: 'POST', path: '/admin/faults', headers: json, body: '{}', status: 400 },
  {
    method: 'POST',
    path: '/acme/key-change',
    headers: { ...jose, 'Sec-Fetch-Site': 'cross-site' },
    body: '{}',
    status: 403,
  },
];

const errors: unknown[] = [];
const folder = mkdtempSync(join(tmpdir(), 'dummy-ca-state-'));
const state = openStateFile(join(folder, 'state.sqlite'));
let ways: BothWays;
// with a file, each answer waits until the state is in it
let stored: BothWays;
beforeAll(async () => {
  const write = (line: string) => {
    const entry = JSON.parse(line) as { level: string };
    if (entry.level === 'error') errors.push(entry);
  };
  const logger = createLogger({ service: 'dummy-ca', level: 'info', destination: { write } });
  const options = { logger, metricsAccess: { metricsOpen: true, metricsToken: undefined } };
  ways = await serveBothWays((await createTestAcme(options)).handler, answerUnparsed);
  stored = await serveBothWays((await createTestAcme({ ...options, state })).handler, answerUnparsed);
});
afterAll(async () => {
  await Promise.all([ways.close(), stored.close()]);
  state.close();
  rmSync(folder, { recursive: true });
});

describe.each([
  ['TCP', () => ways.TCP],
  ['TLS', () => ways.TLS],
  ['TCP, with a state file', () => stored.TCP],
] as const)('over %s, broken requests are answered in order', (_way, listener) => {
  test.each(places)('at $method $path', async (place) => {
    expect(await faultsAt(place, listener())).toEqual([]);
    expect(errors).toEqual([]);
  });
});
