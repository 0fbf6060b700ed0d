import { describe, expect, test } from 'vitest';
import { certManagerContract } from './cert-manager/index.js';
import { accountContract, checkMonitorContract } from './check-monitor/index.js';
import { dummyCaContract } from './dummy-ca/index.js';
import type { Contract } from './endpoint.js';

// One line for each row of the three API documents: method, path, statuses of success | documented statuses of
// refusal | those that identification, permissions, queries and size limits add.
const certManager = `
GET    /health                                     200 | |
GET    /stats                                      200 | | 400 401
GET    /spaces                                     200 | | 400 401
POST   /spaces                                     201 | 400 | 401 403 409
DELETE /spaces/{id}                                200 | 404 409 | 400 401 403
GET    /spaces/{id}/fqdns/count                    200 | | 401
GET    /spaces/{id}/fqdns                          200 | 404 | 400 401
POST   /spaces/{id}/fqdns                          201 | 400 404 409 | 401 403
DELETE /spaces/{id}/fqdns                          200 | | 401 403
DELETE /spaces/{id}/fqdns/{fqdnId}                 200 | 404 | 401 403
DELETE /fqdns                                      200 | 400 | 401 403
POST   /spaces/{spaceId}/fqdns/{fqdnId}/csr        200 201 | 400 404 | 401 403 413
GET    /spaces/{spaceId}/fqdns/{fqdnId}/csr        200 | 404 | 400 401
POST   /spaces/{spaceId}/fqdns/{fqdnId}/csr/sign   200 | 400 404 | 401 403
GET    /spaces/{spaceId}/fqdns/{fqdnId}/certificates 200 | 404 | 400 401
POST   /spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/refresh 200 | 404 | 401 403 502 504
POST   /spaces/{spaceId}/fqdns/{fqdnId}/request-certificate 200 | 400 404 | 401 403
PUT    /spaces/{spaceId}/fqdns/{fqdnId}/renewal-enabled 200 | 404 | 400 401 403
DELETE /csrs                                       200 | 400 | 401 403
GET    /renewal-queue                              200 | | 400 401
POST   /renewal-queue/test/create                  201 | 400 403 | 401
POST   /renewal-queue/test/trigger                 200 | 403 | 401
GET    /users                                      200 | 403 | 400 401
POST   /users                                      201 | 400 403 | 401
GET    /users/{id}                                 200 | 404 403 | 400 401
PUT    /users/{id}                                 200 | 400 404 403 | 401
DELETE /users/{id}                                 200 | 404 403 | 400 401
GET    /users/{id}/avatar                          200 | 404 | 401
POST   /users/{id}/avatar                          200 | 400 | 401 403 404 413
GET    /user/permissions                           200 | | 401
GET    /permission-groups                          200 | 403 | 400 401
POST   /permission-groups                          201 | 400 403 | 401
GET    /permission-groups/{id}                     200 | 404 403 | 401
PUT    /permission-groups/{id}                     200 | 400 404 403 | 401
DELETE /permission-groups/{id}                     200 | 404 403 | 401
GET    /providers                                  200 | | 400 401
GET    /providers/{id}                             200 | 404 | 401
PUT    /providers/{id}/enabled                     200 | 404 | 400 401 403
PUT    /providers/{id}/config                      200 | 400 404 | 401 403
POST   /providers/{id}/test                        200 | 404 | 400 401 403
GET    /audit-logs                                 200 | | 400 401
DELETE /audit-logs                                 200 | | 401 403
POST   /audit-logs/test                            200 | | 400 401 403
`;

// What identification needs, and what operators ask; the documents have no row for it.
const certManagerExtensions = `
GET    /health/live       200 | |
GET    /health/ready      200 | | 503
GET    /openapi.json      200 | |
POST   /auth/login        200 | | 400 401 403 429
POST   /auth/logout       200 | | 401 403
GET    /auth/state        200 | |
GET    /auth/me           200 | | 401
GET    /auth/sessions     200 | | 401 403
DELETE /auth/sessions/{id} 200 | | 401 403 404
DELETE /users/{id}/avatar      200 | | 401 403 404
GET    /users/{id}/permissions 200 | | 401 403 404
GET    /changes           200 | | 400 401
POST   /auth/password     200 | | 400 401 403 429
POST   /auth/bootstrap    201 | | 400 401 403 404 429
GET    /api-tokens        200 | | 401 403
POST   /api-tokens        201 | | 400 401 403 429
DELETE /api-tokens/{id}   200 | | 401 403 404
POST   /api-tokens/self/successor      201 | | 401 403 409
DELETE /api-tokens/self                200 | | 401 403
GET    /users/{id}/api-tokens          200 | | 401 403 404
DELETE /users/{id}/api-tokens/{tokenId} 200 | | 401 403 404
GET    /permission-groups/{id}/members            200 | | 401 403 404
PUT    /permission-groups/{id}/members            200 | | 400 401 403 404
POST   /permission-groups/{id}/members/{userId}   200 | | 401 403 404
DELETE /permission-groups/{id}/members/{userId}   200 | | 401 403 404
GET    /audit-logs/export    200 | | 400 401
GET    /audit-logs/clearings 200 | | 401 403
POST   /csr-lint                               200 | | 400 401
GET    /spaces/{id}                            200 | | 401 404
PUT    /spaces/{id}                            200 | | 400 401 403 404
GET    /spaces/{id}/fqdns/{fqdnId}             200 | | 401 404
PUT    /spaces/{id}/fqdns/{fqdnId}             200 | | 400 401 403 404
GET    /fqdns                                  200 | | 400 401
GET    /fqdns/counts                           200 | | 400 401
POST   /spaces/{id}/fqdns/review                200 | | 400 401 403 404
POST   /fqdns/bulk                             200 | | 400 401 403 409
GET    /outlook                                200 | | 400 401
GET    /readiness                              200 | | 400 401
GET    /stats/expiry                           200 | | 400 401
GET    /inventory                              200 | | 400 401
GET    /inventory.csv                          200 | | 400 401
GET    /watch                                  200 | | 401
PUT    /spaces/{id}/watch-enabled              200 | | 400 401 403 404
PUT    /spaces/{spaceId}/fqdns/{fqdnId}/expiry-accepted 200 | | 400 401 403 404
GET    /spaces/{spaceId}/fqdns/{fqdnId}/targets 200 | | 401 404
POST   /spaces/{spaceId}/fqdns/{fqdnId}/targets 201 | | 400 401 403 404 409
PUT    /spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId} 200 | | 400 401 403 404 409
DELETE /spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId} 200 | | 400 401 403 404
POST   /spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId}/probe 200 | | 400 401 403 404 429
POST   /spaces/{spaceId}/watched-servers 200 | | 400 401 403 404 429
POST   /spaces/{spaceId}/fqdns/{fqdnId}/targets/{targetId}/observations 204 | | 400 401 403 404
GET    /spaces/{spaceId}/fqdns/{fqdnId}/served 200 | | 401 404
GET    /served 200 | | 400 401
POST   /spaces/{spaceId}/acme-clients            201 | | 400 401 403 404 409
GET    /spaces/{spaceId}/acme-clients            200 | | 400 401 404
GET    /spaces/{spaceId}/acme-clients/{id}       200 | | 401 404
PUT    /spaces/{spaceId}/acme-clients/{id}       200 | | 400 401 403 404 409
POST   /spaces/{spaceId}/acme-clients/{id}/key   200 | | 400 401 403 404
DELETE /spaces/{spaceId}/acme-clients/{id}       200 | | 401 403 404
GET    /spaces/{spaceId}/fqdns/{fqdnId}/acme-lineages 200 | | 400 401 404
POST   /spaces/{spaceId}/fqdns/{fqdnId}/acme-lineages/{lineage}/release 200 | | 400 401 403 404
GET    /shared-names                           200 | | 401 403
GET    /spaces/{id}/issuance-policy            200 | | 401 404
PUT    /spaces/{id}/issuance-policy            200 | | 400 401 403 404 409
POST   /providers                              201 | | 400 401 403
DELETE /providers/{id}                         200 | | 401 403 404 409
GET    /certificates                           200 | | 400 401
GET    /spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId} 200 | | 401 404
GET    /spaces/{spaceId}/fqdns/{fqdnId}/certificate 200 304 | | 400 401 404
GET    /spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/download 200 304 | | 400 401 404
POST   /spaces/{spaceId}/fqdns/{fqdnId}/certificates/import 200 201 | | 400 401 403 404
POST   /spaces/{spaceId}/fqdns/{fqdnId}/certificates/{certId}/revoke 200 | | 400 401 403 404 409 502 504
GET    /spaces/{spaceId}/fqdns/{fqdnId}/renewal-explanation 200 | | 401 404
GET    /spaces/{spaceId}/fqdns/{fqdnId}/challenge-setup 200 | | 401 404
POST   /renewal-queue/{id}/run                 200 | | 401 403 404 409
GET    /issuance-jobs                          200 | | 400 401
GET    /issuance-jobs/{id}                     200 | | 401 404
POST   /issuance-jobs/{id}/continue            200 | | 401 403 404 409
POST   /issuance-jobs/{id}/cancel              200 | | 401 403 404 409
`;

// {id} is a uuid, or a unique key where the document names one.
const checkMonitor = `
GET    /checks/                  200     | 401 |
GET    /checks/{id}              200     | 401 403 404 |
POST   /checks/                  200 201 | 400 401 403 |
POST   /checks/{id}              200     | 400 401 403 404 |
POST   /checks/{id}/pause        200     | 401 403 404 | 400
POST   /checks/{id}/resume       200     | 401 403 404 409 | 400
DELETE /checks/{id}              200     | 401 403 404 |
GET    /checks/{id}/pings/       200     | 401 403 404 |
GET    /checks/{id}/pings/{n}/body 200   | 403 404 | 401
GET    /checks/{id}/flips/       200     | 400 401 403 404 |
GET    /channels/                200     | 401 |
GET    /badges/                  200     | 401 |
`;

// A test message of an integration; the document has no row for it.
const checkMonitorExtensions = `
POST   /channels/{id}/test       200     | | 400 401 404
GET    /key                      200     | | 401
DELETE /key                      204     | | 401
`;

// What people do with a browser, below /api/account; the documents have no row for it.
const account = `
GET    /state 200 | |
POST   /login 200 | | 400 401 403 429
POST   /logout 204 | | 401 403
GET    /me 200 | | 401
GET    /limits 200 | | 401
POST   /password 204 | | 400 401 403 429
GET    /projects 200 | | 400 401
GET    /schedule-preview 200 | | 400 401
GET    /channel-kinds 200 | | 401
POST   /projects/{projectId}/channels/test 200 | | 400 401 403 404 429
GET    /projects/{projectId}/channels/{channelId}/deliveries 200 | | 400 401 404
GET    /projects/{projectId}/checks/{checkId}/diagnosis 200 | | 401 404
GET    /projects/{projectId}/checks/{checkId}/events 200 | | 400 401 404
GET    /projects/{projectId}/checks/{checkId}/durations 200 | | 400 401 404
GET    /projects/{projectId}/checks/{checkId}/downtimes 200 | | 400 401 404
POST   /projects 201 | | 400 401 403
GET    /projects/{projectId} 200 | | 400 401 404
PUT    /projects/{projectId} 200 | | 400 401 403 404
DELETE /projects/{projectId} 204 | | 401 403 404
GET    /projects/{projectId}/members 200 | | 401 404
POST   /projects/{projectId}/members 200 | | 400 401 403 404 429
DELETE /projects/{projectId}/members/{userId} 204 | | 401 403 404
POST   /projects/{projectId}/keys/{kind} 201 | | 401 403 404
DELETE /projects/{projectId}/keys/{kind} 204 | | 401 403 404
GET    /projects/{projectId}/channels 200 | | 400 401 404
POST   /projects/{projectId}/channels 201 | | 400 401 403 404 429
PUT    /projects/{projectId}/channels/{channelId} 200 | | 400 401 403 404 429
DELETE /projects/{projectId}/channels/{channelId} 204 | | 401 403 404
POST   /projects/{projectId}/channels/{channelId}/test 200 | | 401 403 404
GET    /checks/{checkId} 200 | | 401 404
GET    /projects/{projectId}/checks 200 | | 400 401 404
GET    /projects/{projectId}/checks/status 200 | | 400 401 404
POST   /projects/{projectId}/checks/bulk 200 | | 400 401 403 404 409
GET    /projects/{projectId}/checks/{checkId} 200 | | 401 404
POST   /projects/{projectId}/checks/{checkId}/clear 204 | | 401 403 404
POST   /projects/{projectId}/checks/{checkId}/move 200 | | 400 401 403 404
GET    /projects/{projectId}/checks/{checkId}/pings 200 | | 401 404
GET    /projects/{projectId}/checks/{checkId}/pings/{n}/body 200 | | 401 404
GET    /projects/{projectId}/checks/{checkId}/flips 200 | | 400 401 404
`;

const dummyCa = `
GET    /health            200 | |
POST   /csr               200 | 400 405 500 | 413
GET    /certificate/{id}  200 | 400 404 |
GET    /root              200 | |
`;

// How verifiers find out what is revoked; the document has no row for it.
const dummyCaExtensions = `
GET    /certificate-status/{serial_number} 200 | | 404
GET    /crls/{issuer}     200 | | 404
GET    /issuers/{issuer}  200 | | 404
POST   /ocsp              200 | | 405
GET    /ocsp/{request}    200 | | 405
`;

/** `METHOD path successes | refusals`, statuses rising. */
function rowsOf(contract: Contract): string[] {
  return Object.values(contract)
    .map(({ method, path, responses, failures }) =>
      row(method, path, Object.keys(responses).join(' '), failures.join(' ')),
    )
    .sort();
}

function rowsIn(table: string): string[] {
  const lines = table.trim().split('\n');
  return lines.map((line) => {
    const [head = '', documented = '', added = ''] = line.split('|');
    const [method = '', path = '', ...successes] = head.trim().split(/\s+/);
    return row(method, path, successes.join(' '), `${documented} ${added}`);
  });
}

function row(method: string, path: string, successes: string, failures: string): string {
  const sorted = (text: string) => text.match(/\d+/g)?.sort().join(' ') ?? '';
  return `${method} ${path} ${sorted(successes)} | ${sorted(failures)}`;
}

describe('the contracts match the OpenAPI documents', () => {
  test('certificate management service', () => {
    expect(rowsOf(certManagerContract)).toEqual(
      [...rowsIn(certManager), ...rowsIn(certManagerExtensions)].sort(),
    );
  });

  test('check-monitoring service', () => {
    expect(rowsOf(checkMonitorContract)).toEqual(
      [...rowsIn(checkMonitor), ...rowsIn(checkMonitorExtensions)].sort(),
    );
  });

  test('accounts of the check-monitoring service', () => {
    expect(rowsOf(accountContract)).toEqual(rowsIn(account).sort());
  });

  test('dummy certificate authority', () => {
    expect(rowsOf(dummyCaContract)).toEqual([...rowsIn(dummyCa), ...rowsIn(dummyCaExtensions)].sort());
  });
});

test.each<[string, Contract, string]>([
  ['certificate management service', certManagerContract, certManager],
  ['check-monitoring service', checkMonitorContract, checkMonitor],
  ['accounts of the check-monitoring service', accountContract, ''],
  ['dummy certificate authority', dummyCaContract, dummyCa],
])('the documented operations of the %s are marked', (_, contract, table) => {
  const marked = Object.values(contract).filter(({ documented }) => documented === true);
  const rows = table === '' ? [] : rowsIn(table);
  const addresses = rows.map((line) => line.split(' ', 2).join(' '));
  expect(marked.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(addresses.sort());
});

test('has no paths below /ui, which belong to the consoles', () => {
  const contracts: Contract[] = [certManagerContract, checkMonitorContract, accountContract, dummyCaContract];
  const paths = contracts.flatMap((contract) => Object.values(contract).map(({ path }) => path));
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => /^\/ui(\/|$)/.test(path))).toEqual([]);
});
