import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { type AuditAction, type AuditLog, certManagerContract, type Endpoint } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Response } from 'supertest';
import { type Operation, routeNeeds } from '../../src/access/route-needs.js';
import { measureAuditLogs } from '../../src/audit/audit.repository.js';
import type { TestApp } from '../support/app.js';
import { addToken, addUser } from '../support/factories.js';
import { foreignPem } from '../support/foreign-ca.js';
import { makeGroup } from '../support/groups.js';
import { addCsr, addFqdn, addSpace, csrUpload, pathOf, unknownId } from '../support/inventory.js';
import { addJob } from '../support/issuance.js';
import { signIn } from '../support/people.js';
import { picture } from '../support/pictures.js';
import {
  configure,
  createProvider,
  enable,
  fqdnWithCsr,
  newCsr,
  providerOf,
  startAppWithCa,
} from '../support/signing.js';
import { listening } from '../support/small-server.js';

// much else may run on the same machine
jest.setTimeout(60_000);

/** A request that must be answered as the contract says. */
interface Asked {
  /** Answer of the service. */
  readonly answer: Pick<Response, 'status' | 'headers' | 'body'>;
  /** The entry that it must leave; an operation that writes and leaves none says why. */
  readonly leaves?: AuditAction | { readonly nothingBecause: string };
}

const requests: Readonly<Record<Operation, (app: TestApp) => Promise<Asked>>> = {
  getHealth: (app) => read(app, '/health'),
  getLiveness: (app) => read(app, '/health/live'),
  getReadiness: (app) => read(app, '/health/ready'),
  getOpenApi: (app) => read(app, '/openapi.json'),
  getStats: (app) => read(app, '/stats'),

  getAuthState: (app) => read(app, '/auth/state'),
  login: async (app) => ({
    answer: await app.request.post('/auth/login').send(await addUser(app)),
    leaves: 'auth.login',
  }),
  bootstrap: async (app) => ({
    answer: await app.request.post('/auth/bootstrap').send({
      token: 'cms_x',
      username: 'someone',
      email: 'someone@example.org',
      password: 'correct horse',
    }),
    leaves: { nothingBecause: 'there is an administrator, so it is gone' },
  }),
  logout: async (app) => {
    const { writing } = await newSession(app);
    return { answer: await app.request.post('/auth/logout').set(writing), leaves: 'auth.logout' };
  },
  getMe: (app) => read(app, '/auth/me'),
  listSessions: async (app) => {
    const { reading } = await newSession(app);
    return { answer: await app.request.get('/auth/sessions').set(reading) };
  },
  deleteSession: async (app) => {
    const { reading, writing } = await newSession(app);
    const { body } = await app.request.get('/auth/sessions').set(reading);
    const answer = await app.request.delete(`/auth/sessions/${body[0].id}`).set(writing);
    return { answer, leaves: 'auth.logout' };
  },
  changePassword: async (app) => {
    const { writing, password } = await newSession(app);
    const body = { currentPassword: password, newPassword: 'battery staple' };
    return {
      answer: await app.request.post('/auth/password').set(writing).send(body),
      leaves: 'user.password',
    };
  },
  listApiTokens: async (app) => {
    const { reading } = await newSession(app);
    return { answer: await app.request.get('/api-tokens').set(reading) };
  },
  createApiToken: async (app) => {
    const { writing } = await newSession(app);
    return { answer: await newToken(app, writing), leaves: 'auth.token.create' };
  },
  deleteApiToken: async (app) => {
    const { writing } = await newSession(app);
    const { body } = await newToken(app, writing);
    return {
      answer: await app.request.delete(`/api-tokens/${body.id}`).set(writing),
      leaves: 'auth.token.revoke',
    };
  },
  succeedApiToken: async (app) => {
    const { writing } = await newSession(app);
    const { body } = await newToken(app, writing);
    const sent = app.request.post('/api-tokens/self/successor');
    return { answer: await sent.set('Authorization', `Bearer ${body.token}`), leaves: 'auth.token.renew' };
  },
  deleteOwnApiToken: async (app) => {
    const { writing } = await newSession(app);
    const { body } = await newToken(app, writing);
    const sent = app.request.delete('/api-tokens/self');
    return { answer: await sent.set('Authorization', `Bearer ${body.token}`), leaves: 'auth.token.revoke' };
  },
  listUserApiTokens: (app) => read(app, `/users/${app.people.ben.id}/api-tokens`),
  deleteUserApiToken: async (app) => {
    const { id } = await addUser(app);
    const token = await addToken(app, id);
    const path = `/users/${id}/api-tokens/${token.slice(4, 12)}`;
    return { answer: await ask(app, 'delete', path), leaves: 'auth.token.revoke' };
  },
  getUserPermissions: (app) => read(app, `/users/${app.people.ben.id}/permissions`),
  getOwnPermissions: (app) => read(app, '/user/permissions'),

  listSpaces: async (app) => {
    await addSpace(app);
    return read(app, '/spaces');
  },
  createSpace: async (app) => ({
    answer: await ask(app, 'post', '/spaces').send({ name: 'new' }),
    leaves: 'space.create',
  }),
  getSpace: async (app) => read(app, `/spaces/${(await addSpace(app)).id}`),
  updateSpace: async (app) => {
    const { id } = await addSpace(app);
    return { answer: await ask(app, 'put', `/spaces/${id}`).send({ name: 'other' }), leaves: 'space.update' };
  },
  listAllFqdns: async (app) => {
    await newFqdn(app);
    return read(app, '/fqdns?include=status&limit=5');
  },
  getOutlook: (app) => read(app, '/outlook'),
  getExpiryTimeline: (app) => read(app, '/stats/expiry?bucket=week'),
  countFqdnStates: (app) => read(app, '/fqdns/counts'),
  reviewFqdns: async (app) => {
    const { spaceId } = await newFqdn(app);
    const sent = ask(app, 'post', `/spaces/${spaceId}/fqdns/review`).send({ names: ['a.example', 'b_c'] });
    return { answer: await sent, leaves: { nothingBecause: 'it only judges' } };
  },
  changeFqdns: async (app) => {
    const { id } = await newFqdn(app);
    const sent = ask(app, 'post', '/fqdns/bulk').send({ ids: [id], action: 'renewal-on', dryRun: false });
    return { answer: await sent, leaves: 'fqdn.renewal' };
  },
  updateFqdn: async (app) => {
    const { spaceId, id } = await newFqdn(app);
    const sent = ask(app, 'put', `/spaces/${spaceId}/fqdns/${id}`).send({ description: 'other' });
    return { answer: await sent, leaves: 'fqdn.update' };
  },
  getFqdn: async (app) => {
    const { spaceId, id } = await newFqdn(app);
    return read(app, `/spaces/${spaceId}/fqdns/${id}`);
  },
  setWatchEnabled: async (app) => {
    const { id } = await addSpace(app);
    const sent = app.request.put(`/spaces/${id}/watch-enabled`).set(app.people.ada.auth);
    return { answer: await sent.send({ watchEnabled: false }), leaves: 'space.watch' };
  },
  getIssuancePolicy: async (app) => read(app, `/spaces/${(await addSpace(app)).id}/issuance-policy`),
  setIssuancePolicy: async (app) => {
    const { id } = await addSpace(app);
    const allowedNames = {
      names: ['a.test'],
      suffixes: ['test'],
      wildcards: true,
      cidrs: [],
      beyondFqdn: false,
    };
    const answer = await ask(app, 'put', `/spaces/${id}/issuance-policy`).send({ allowedNames });
    return { answer, leaves: 'space.policy' };
  },
  deleteSpace: async (app) => {
    const { id } = await addSpace(app);
    return { answer: await ask(app, 'delete', `/spaces/${id}`), leaves: 'space.delete' };
  },

  countFqdns: async (app) => read(app, `/spaces/${(await addSpace(app)).id}/fqdns/count`),
  listFqdns: async (app) => {
    const { id } = await addSpace(app);
    await addFqdn(app, id);
    return read(app, `/spaces/${id}/fqdns`);
  },
  createFqdn: async (app) => {
    const { id } = await addSpace(app);
    const answer = await ask(app, 'post', `/spaces/${id}/fqdns`).send({ fqdn: 'new.example.com' });
    return { answer, leaves: 'fqdn.create' };
  },
  deleteSpaceFqdns: async (app) => {
    const { spaceId } = await newFqdn(app);
    return { answer: await ask(app, 'delete', `/spaces/${spaceId}/fqdns`), leaves: 'fqdn.deleteAll' };
  },
  deleteFqdn: async (app) => {
    const { spaceId, id } = await newFqdn(app);
    return { answer: await ask(app, 'delete', `/spaces/${spaceId}/fqdns/${id}`), leaves: 'fqdn.delete' };
  },
  deleteAllFqdns: async (app) => {
    await newFqdn(app);
    return { answer: await ask(app, 'delete', '/fqdns?confirm=true'), leaves: 'fqdn.deleteAll' };
  },
  setRenewalEnabled: async (app) => {
    const path = pathOf(await newFqdn(app), 'renewal-enabled');
    return { answer: await ask(app, 'put', path).send({ renewalEnabled: true }), leaves: 'fqdn.renewal' };
  },
  setExpiryAccepted: async (app) => {
    const path = pathOf(await newFqdn(app), 'expiry-accepted');
    return { answer: await ask(app, 'put', path).send({ accepted: false }), leaves: 'fqdn.expiry' };
  },

  uploadCsr: async (app) => {
    const fqdn = await newFqdn(app);
    return { answer: await csrUpload(app, fqdn, await newCsr(fqdn.fqdn)), leaves: 'csr.upload' };
  },
  listCsrs: async (app) => {
    const fqdn = await newFqdn(app);
    await addCsr(app, fqdn, await newCsr(fqdn.fqdn));
    return read(app, pathOf(fqdn, 'csr'));
  },
  deleteAllCsrs: async (app) => {
    await fqdnWithCsr(app);
    return { answer: await ask(app, 'delete', '/csrs?confirm=true'), leaves: 'csr.deleteAll' };
  },

  signCsr: async (app) => ({ answer: await sign(app, (await fqdnWithCsr(app)).fqdn), leaves: 'csr.sign' }),
  requestCertificate: async (app) => {
    const { fqdn } = await fqdnWithCsr(app);
    const answer = await ask(app, 'post', pathOf(fqdn, 'request-certificate?wait=0'));
    return { answer, leaves: 'certificate.request' };
  },
  getChallengeSetup: async (app) => read(app, pathOf((await fqdnWithCsr(app)).fqdn, 'challenge-setup')),
  listIssuanceJobs: async (app) => read(app, `/issuance-jobs?fqdnId=${(await addJob(app)).fqdn.id}`),
  getIssuanceJob: async (app) => read(app, `/issuance-jobs/${(await addJob(app)).job.id}`),
  continueIssuanceJob: async (app) => {
    const { job } = await addJob(app);
    const answer = await ask(app, 'post', `/issuance-jobs/${job.id}/continue`);
    return { answer, leaves: 'certificate.request' };
  },
  refreshCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    const answer = await ask(app, 'post', pathOf(fqdn, `certificates/${body[0].id}/refresh`));
    return { answer, leaves: 'certificate.refresh' };
  },
  revokeCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    const path = pathOf(fqdn, `certificates/${body[0].id}/revoke`);
    const answer = await ask(app, 'post', path).send({ reason: 'superseded' });
    return { answer, leaves: 'certificate.revoke' };
  },
  deliverCertificate: async (app) => ({
    ...(await read(app, pathOf(await newCertificate(app), 'certificate'))),
    leaves: 'certificate.download',
  }),
  downloadCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    const path = pathOf(fqdn, `certificates/${body[0].id}/download?format=der`);
    return { ...(await read(app, path)), leaves: 'certificate.download' };
  },
  importCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const pem = await foreignPem(fqdn.fqdn, app.clock.now());
    const answer = await ask(app, 'post', pathOf(fqdn, 'certificates/import')).send({ pem });
    return { answer, leaves: 'certificate.import' };
  },
  getCertificate: async (app) => {
    const fqdn = await newCertificate(app);
    const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
    return read(app, pathOf(fqdn, `certificates/${body[0].id}`));
  },
  listCertificates: async (app) => read(app, pathOf(await newCertificate(app), 'certificates')),

  listRenewals: async (app) => {
    await newTestRenewal(app);
    return read(app, '/renewal-queue');
  },
  createTestRenewal: async (app) => ({ answer: await newTestRenewal(app), leaves: 'queue.create' }),
  triggerRenewals: async (app) => ({
    answer: await ask(app, 'post', '/renewal-queue/test/trigger'),
    leaves: 'queue.trigger',
  }),
  runRenewal: async (app) => {
    const { body } = await newTestRenewal(app);
    return { answer: await ask(app, 'post', `/renewal-queue/${body.queueId}/run`), leaves: 'queue.run' };
  },
  explainRenewal: async (app) => read(app, pathOf(await newCertificate(app), 'renewal-explanation')),

  listTargets: async (app) => read(app, (await newTarget(app)).path.replace(/\/[^/]*$/, '')),
  createTarget: async (app) => {
    const answer = await ask(app, 'post', pathOf(await newCertificate(app), 'targets')).send({});
    return { answer, leaves: 'target.create' };
  },
  updateTarget: async (app) => {
    const answer = await ask(app, 'put', (await newTarget(app)).path).send({ graceSeconds: 60 });
    return { answer, leaves: 'target.update' };
  },
  deleteTarget: async (app) => {
    const answer = await ask(app, 'delete', (await newTarget(app)).path);
    return { answer, leaves: 'target.delete' };
  },
  probeTarget: async (app) => ({
    // where no probe may go, so that none does
    answer: await ask(app, 'post', `${(await newTarget(app, 'localhost')).path}/probe`),
    leaves: 'target.probe',
  }),
  reportObservation: async (app) => ({ answer: await newReport(app), leaves: 'target.report' }),
  getServed: async (app) => {
    await newReport(app);
    const { body } = await ask(app, 'get', '/served');
    const { spaceId, fqdnId } = body[0];
    return read(app, `/spaces/${spaceId}/fqdns/${fqdnId}/served`);
  },
  listServed: async (app) => {
    await newReport(app);
    return read(app, '/served?limit=1');
  },

  listUsers: (app) => read(app, '/users'),
  createUser: async (app) => {
    const user = { username: 'new.user', email: 'new.user@example.org', password: 'correct horse' };
    return { answer: await ask(app, 'post', '/users').send(user), leaves: 'user.create' };
  },
  getUser: async (app) => read(app, `/users/${app.people.ben.id}`),
  updateUser: async (app) => {
    const { id } = await addUser(app);
    return { answer: await ask(app, 'put', `/users/${id}`).send({ enabled: false }), leaves: 'user.update' };
  },
  deleteUser: async (app) => ({
    answer: await ask(app, 'delete', `/users/${(await addUser(app)).id}`),
    leaves: 'user.delete',
  }),

  getAvatar: async (app) => {
    await newAvatar(app);
    return read(app, `/users/${app.people.ada.id}/avatar`);
  },
  uploadAvatar: async (app) => ({ answer: await newAvatar(app), leaves: 'user.avatar' }),
  deleteAvatar: async (app) => {
    await newAvatar(app);
    const path = `/users/${app.people.ada.id}/avatar`;
    return { answer: await ask(app, 'delete', path), leaves: 'user.avatar.delete' };
  },

  listPermissionGroups: async (app) => {
    await makeGroup(app, {});
    return read(app, '/permission-groups');
  },
  createPermissionGroup: async (app) => ({
    answer: await ask(app, 'post', '/permission-groups').send({ name: 'new', permission: 'READ' }),
    leaves: 'group.create',
  }),
  getPermissionGroup: async (app) => read(app, groupPath(await makeGroup(app, {}))),
  updatePermissionGroup: async (app) => {
    const path = groupPath(await makeGroup(app, {}));
    return { answer: await ask(app, 'put', path).send({ name: 'changed' }), leaves: 'group.update' };
  },
  deletePermissionGroup: async (app) => ({
    answer: await ask(app, 'delete', groupPath(await makeGroup(app, {}))),
    leaves: 'group.delete',
  }),
  listGroupMembers: async (app) => read(app, `${groupPath(await makeGroup(app, {}))}/members`),
  setGroupMembers: async (app) => {
    const path = `${groupPath(await makeGroup(app, {}))}/members`;
    return { answer: await ask(app, 'put', path).send({ userIds: [] }), leaves: 'group.member.set' };
  },
  addGroupMember: async (app) => {
    const path = `${groupPath(await makeGroup(app, {}))}/members/${app.people.ben.id}`;
    return { answer: await ask(app, 'post', path), leaves: 'group.member.add' };
  },
  removeGroupMember: async (app) => {
    const group = await makeGroup(app, { userIds: [app.people.ben.id] });
    const path = `${groupPath(group)}/members/${app.people.ben.id}`;
    return { answer: await ask(app, 'delete', path), leaves: 'group.member.remove' };
  },

  listProviders: (app) => read(app, '/providers'),
  getProvider: async (app) => read(app, `/providers/${(await providerOf(app, 'dummy-ca')).id}`),
  createProvider: async (app) => {
    const body = { kind: 'dummy-ca', name: 'contract', config: { baseUrl: 'https://8.8.8.8' } };
    return { answer: await ask(app, 'post', '/providers').send(body), leaves: 'provider.create' };
  },
  deleteProvider: async (app) => {
    const config = { baseUrl: 'https://8.8.8.8' };
    const { id } = await createProvider(app, { kind: 'dummy-ca', name: 'contract-too', config });
    return { answer: await ask(app, 'delete', `/providers/${id}`), leaves: 'provider.delete' };
  },
  setProviderEnabled: async (app) => ({
    answer: await enable(app, await providerOf(app, 'acme'), false).then(async () =>
      enable(app, await providerOf(app, 'dummy-ca'), true),
    ),
    leaves: 'provider.enable',
  }),
  setProviderConfig: async (app) => {
    const provider = await providerOf(app, 'dummy-ca');
    return { answer: await configure(app, provider, provider.config), leaves: 'provider.config' };
  },
  testProvider: async (app) => {
    const { id } = await providerOf(app, 'dummy-ca');
    return { answer: await ask(app, 'post', `/providers/${id}/test`), leaves: 'provider.test' };
  },

  listAuditLogs: (app) => read(app, '/audit-logs'),
  deleteAuditLogs: async (app) => ({
    answer: await ask(app, 'delete', '/audit-logs'),
    leaves: { nothingBecause: 'the log is empty afterwards; a table of its own records the act' },
  }),
  exportAuditLogs: async (app) => ({ ...(await read(app, '/audit-logs/export')), leaves: 'audit.export' }),
  listChanges: (app) => read(app, '/changes?since=0'),
  listAuditClearings: async (app) => {
    await ask(app, 'delete', '/audit-logs');
    return read(app, '/audit-logs/clearings');
  },
  createTestAuditLog: async (app) => ({
    answer: await ask(app, 'post', '/audit-logs/test'),
    leaves: 'audit.test',
  }),
};

function ask(app: TestApp, method: 'get' | 'post' | 'put' | 'delete', path: string) {
  return app.request[method](path).set(app.people.ada.auth);
}

async function read(app: TestApp, path: string): Promise<Asked> {
  return { answer: await ask(app, 'get', path) };
}

async function newTarget(app: TestApp, host?: string) {
  const fqdn = await newCertificate(app);
  const { body } = await ask(app, 'post', pathOf(fqdn, 'targets')).send({ host });
  return { fqdn, path: pathOf(fqdn, `targets/${body.id}`) };
}

/** The newest certificate of an FQDN, as seen at an address. */
async function newReport(app: TestApp) {
  const { fqdn, path } = await newTarget(app);
  const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
  const observedAt = app.clock.now().toISOString();
  const report = { address: '192.0.2.1', chainPem: body[0].pem, observedAt };
  return ask(app, 'post', `${path}/observations`).send(report);
}

const groupPath = ({ id }: { readonly id: string }) => `/permission-groups/${id}`;

async function newAvatar(app: TestApp) {
  const bytes = await picture('png', 8, 8);
  return ask(app, 'post', `/users/${app.people.ada.id}/avatar`).attach('avatar', bytes, 'ada.png');
}

async function newSession(app: TestApp) {
  const user = await addUser(app);
  return { ...(await signIn(app, user)), password: user.password };
}

function newToken(app: TestApp, writing: Readonly<Record<string, string>>) {
  return app.request.post('/api-tokens').set(writing).send({ name: 'new', scope: 'READ', renewable: true });
}

async function newFqdn(app: TestApp) {
  return addFqdn(app, (await addSpace(app)).id);
}

async function sign(app: TestApp, fqdn: { readonly spaceId: string; readonly id: string }) {
  const { id: providerId } = await providerOf(app, 'dummy-ca');
  return ask(app, 'post', pathOf(fqdn, 'csr/sign')).send({ providerId });
}

async function newCertificate(app: TestApp) {
  const { fqdn } = await fqdnWithCsr(app);
  await sign(app, fqdn);
  return fqdn;
}

async function newTestRenewal(app: TestApp) {
  const fqdn = await newCertificate(app);
  const { body } = await ask(app, 'get', pathOf(fqdn, 'certificates'));
  const ids = { certificateId: body[0].id, fqdnId: fqdn.id, spaceId: fqdn.spaceId };
  return ask(app, 'post', '/renewal-queue/test/create').send({ ...ids, minutesFromNow: 60 });
}

const operations = Object.keys(requests) as Operation[];
const endpointOf = (operation: Operation): Endpoint => certManagerContract[operation];
const anyPath = (operation: Operation) => endpointOf(operation).path.replace(/\{\w+\}/g, unknownId);

describeEachDialect('the contract', (open) => {
  let app: TestApp;
  let close: () => Promise<void>;
  let silent: Awaited<ReturnType<typeof listening>>;
  beforeAll(async () => {
    // an ACME server that never answers is enough: what is under way is answered, too
    silent = await listening(createServer());
    ({ app, close } = await startAppWithCa(open, { ACME_DIRECTORY_URL: `${silent.url}/directory` }));
  });
  afterAll(async () => {
    await close();
    await silent.close();
  });

  test.each(operations)('%s answers as it says, and leaves the entry that it must', async (operation) => {
    const { responses, failures, method } = endpointOf(operation);
    const { answer, leaves } = await requests[operation](app);

    const shape = responses[answer.status];
    if (shape === undefined) expect(failures).toContain(answer.status);
    else if (shape.kind === 'json') expect(() => shape.schema.parse(answer.body)).not.toThrow();

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
  });

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

    test('leaves no entry: there are too many of them', async () => {
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

    test.each(restricted)('is refused %s before anything else is judged', async (operation) => {
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

  test('a method that a path does not have is refused with those that it has', async () => {
    const { status, headers } = await ask(app, 'put', '/spaces');
    expect(status).toBe(405);
    expect(headers['allow']).toBe('GET, HEAD, POST');
  });

  test('a path parameter that is no uuid names nothing', async () => {
    for (const path of ['/spaces/7', '/spaces/7/fqdns', `/providers/${randomUUID()}x`]) {
      const method = path === '/spaces/7' ? 'delete' : 'get';
      expect((await ask(app, method, path)).status).toBe(404);
    }
  });
});
