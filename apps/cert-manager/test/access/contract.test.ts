import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type AuditLog, certManagerContract, type Endpoint } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Operation, routeNeeds } from '../../src/access/route-needs.js';
import { measureAuditLogs } from '../../src/audit/audit-extent.repository.js';
import type { TestApp } from '../support/app.js';
import { withKeys } from '../support/front/acme-clients.js';
import { unknownId } from '../support/inventory.js';
import { startAppWithCa } from '../support/signing.js';
import { listening } from '../support/small-server.js';
import { accountRequests } from './contract/account-requests.js';
import { ask, type Requests } from './contract/asked.js';
import { certificateRequests } from './contract/certificate-requests.js';
import { serviceRequests } from './contract/service-requests.js';
import { spaceRequests } from './contract/space-requests.js';

// those to the service come last: they switch a provider off and empty the audit log
const requests: Requests<Operation> = {
  ...accountRequests,
  ...spaceRequests,
  ...certificateRequests,
  ...serviceRequests,
};

const operations = Object.keys(requests) as Operation[];
const endpointOf = (operation: Operation): Endpoint => certManagerContract[operation];
// these reject a token, a path without its user, or an installation with users before they read the query
const rejectedBefore: readonly Operation[] = [
  'bootstrap',
  'logout',
  'listSessions',
  'deleteSession',
  'changePassword',
  'listApiTokens',
  'createApiToken',
  'deleteApiToken',
  'deleteUserApiToken',
  'deleteAvatar',
];
const strict = operations.filter(
  (operation) => endpointOf(operation).documented !== true && !rejectedBefore.includes(operation),
);
const anyPath = (operation: Operation) => endpointOf(operation).path.replace(/\{\w+\}/g, unknownId);

describeEachDialect('the contract', (open) => {
  let app: TestApp;
  let close: () => Promise<void>;
  let silent: Awaited<ReturnType<typeof listening>>;
  beforeAll(async () => {
    // an ACME server that never answers is enough: what is under way is answered, too
    silent = await listening(createServer());
    ({ app, close } = await startAppWithCa(open, {
      ...withKeys,
      ACME_DIRECTORY_URL: `${silent.url}/directory`,
    }));
  });
  afterAll(async () => {
    await close();
    await silent.close();
  });

  test.each(operations)(
    '%s responds as documented, and writes the expected audit entry',
    async (operation) => {
      const { responses, failures, method } = endpointOf(operation);
      const { answer, leaves } = await requests[operation](app);

      const shape = responses[answer.status];
      if (shape === undefined) expect(failures).toContain(answer.status);
      else if (shape.kind === 'json') expect(() => z.parse(shape.schema, answer.body)).not.toThrow();

      if (leaves === undefined) expect(method).toBe('GET');
      if (typeof leaves === 'string') {
        expect(Object.keys(responses)).toContain(String(answer.status));
        // jobs of earlier operations end in the background, and leave entries of their own
        const requestId = answer.headers['x-request-id'];
        const { body } = await ask(app, 'get', '/audit-logs?limit=20');
        const entries = body.logs.filter((entry: AuditLog) => entry.details?.['requestId'] === requestId);
        const details = expect.objectContaining({ outcome: 'success' });
        expect(entries).toContainEqual(expect.objectContaining({ action: leaves, details }));
      }
    },
  );

  test.each(strict)('%s rejects unknown query members', async (operation) => {
    const method = endpointOf(operation).method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
    const { status, body } = await ask(app, method, `${anyPath(operation)}?unheard=1`);
    const message = expect.stringMatching(/^is not known: this operation has /);
    const errors = [{ path: 'query.unheard', code: 'unknown_member', message }];
    expect({ status, errors: body.errors }).toEqual({ status: 400, errors });
  });

  test('documented operations ignore unknown query members', async () => {
    expect((await ask(app, 'get', '/spaces?unheard=1')).status).toBe(200);
  });

  test.each(['/fqdns', '/fqdns/counts', '/spaces', '/users', '/audit-logs'])(
    '%s rejects a NUL in what is searched for',
    async (path) => {
      const { status, body } = await ask(app, 'get', `${path}?q=%00`);
      expect({ status, errors: body.errors }).toMatchObject({
        status: 400,
        errors: [{ path: 'query.q', message: 'must not contain U+0000' }],
      });
    },
  );

  describe('a caller without credentials', () => {
    const authenticated = operations.filter((operation) => !('public' in endpointOf(operation)));

    test.each(authenticated)('is refused %s', async (operation) => {
      const method = endpointOf(operation).method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
      const { status, headers, body } = await app.request[method](anyPath(operation));
      expect(status).toBe(401);
      expect(headers['www-authenticate']).toBe('Bearer');
      expect(headers['content-type']).toBe('application/problem+json');
      expect(body).toMatchObject({ status: 401, code: 'unauthenticated', instance: anyPath(operation) });
    });

    test('writes no audit entry, since such requests are too frequent', async () => {
      // a job under way ends without an entry once its FQDN is gone
      await ask(app, 'delete', '/fqdns?confirm=true').expect(200);
      const before = await app.database.read(measureAuditLogs);
      await app.request.delete('/fqdns?confirm=true');
      expect(await app.database.read(measureAuditLogs)).toEqual(before);
    });
  });

  describe('a caller without rights', () => {
    const restricted = operations.filter((operation) => {
      const need = routeNeeds[operation];
      return need === 'admin' || need === 'full-access' || typeof need === 'object';
    });

    test.each(restricted)('is refused %s before the request is validated', async (operation) => {
      const method = endpointOf(operation).method.toLowerCase() as 'get' | 'post' | 'put' | 'delete';
      const { status } = await app.request[method](`${anyPath(operation)}?limit=x`)
        .set(app.people.cleo.auth)
        .set('Content-Type', method === 'get' ? '' : 'application/json');
      expect(status).toBe(typeof routeNeeds[operation] === 'object' ? 404 : 403);
    });
  });

  test('every answer names its version, forbids caching and does not name the server software', async () => {
    const { headers } = await app.request.get('/nowhere');
    expect(headers).toMatchObject({ 'api-version': '2.0.0', 'cache-control': 'no-store' });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers['content-security-policy']).not.toContain('upgrade-insecure-requests');
  });

  test('a method that a path does not have is rejected, and the response names the allowed ones', async () => {
    const { status, headers } = await ask(app, 'put', '/spaces');
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD, POST');
  });

  test('a path parameter that is not a UUID returns 404', async () => {
    for (const path of ['/spaces/7', '/spaces/7/fqdns', `/providers/${randomUUID()}x`]) {
      const method = path === '/spaces/7' ? 'delete' : 'get';
      expect((await ask(app, method, path)).status).toBe(404);
    }
  });
});
