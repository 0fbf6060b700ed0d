import { certManagerContract } from '@certloop/contracts';
import { describeEachDialect } from '@certloop/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeNeeds } from '../../src/access/route-needs.js';
import { makeGroup } from '../support/access/groups.js';
import { askingAs, type Cast, callerKinds, rowsOf, settleCast } from '../support/access/matrix.js';
import { newCertificate, requests } from '../support/access/matrix-requests.js';
import type { TestApp } from '../support/app.js';
import { withKeys } from '../support/front/acme-clients.js';
import { addSpace } from '../support/inventory.js';
import { startAppWithCa } from '../support/signing.js';

// What a valid request is answered, by what the caller may do in its space: no one, nothing, READ, READ_WRITE,
// FULL_ACCESS, FULL_ACCESS to all spaces, administrator. 404 reveals less than 403: the space is not visible.
const matrix = rowsOf(
  `
  getHealth               200
  getLiveness             200
  getReadiness            200
  getOpenApi              200
  getWatch                401 200 200 200 200 200 200
  getStats                401 200 200 200 200 200 200

  getAuthState            200
  login                   200
  bootstrap               404
  logout                  401 200 200 200 200 200 200
  listSessions            401 200 200 200 200 200 200
  listSessions/token      401 403 403 403 403 403 403
  deleteSession           401 200 200 200 200 200 200
  deleteSession/unknown   401 404 404 404 404 404 404
  logout/token            401 403 403 403 403 403 403
  getMe                   401 200 200 200 200 200 200
  changePassword          401 200 200 200 200 200 200
  changePassword/token    401 403 403 403 403 403 403
  listApiTokens           401 200 200 200 200 200 200
  listApiTokens/token     401 403 403 403 403 403 403
  createApiToken          401 201 201 201 201 201 201
  createApiToken/token    401 403 403 403 403 403 403
  deleteApiToken          401 200 200 200 200 200 200
  deleteApiToken/token    401 403 403 403 403 403 403
  deleteApiToken/other    401 404 404 404 404 404 404
  succeedApiToken         401 201 201 201 201 201 201
  succeedApiToken/session 401 403 403 403 403 403 403
  deleteOwnApiToken         401 200 200 200 200 200 200
  deleteOwnApiToken/session 401 403 403 403 403 403 403
  listUserApiTokens         401 403 403 403 403 403 200
  listUserApiTokens/own     401 403 403 403 403 403 200
  listUserApiTokens/unknown 401 403 403 403 403 403 404
  deleteUserApiToken         401 403 403 403 403 403 200
  deleteUserApiToken/own     401 403 403 403 403 403 200
  deleteUserApiToken/unknown 401 403 403 403 403 403 404

  listSpaces              401 200 200 200 200 200 200
  getSpace                401 404 200 200 200 200 200
  getSpace/unknown        401 404 404 404 404 404 404
  updateSpace             401 404 403 403 200 200 200
  updateSpace/unknown     401 404 404 404 404 404 404
  createSpace             401 403 403 403 403 201 201
  deleteSpace             401 404 403 403 403 200 200
  deleteSpace/unknown     401 404 404 404 404 404 404
  setWatchEnabled         401 404 403 403 200 200 200
  setWatchEnabled/unknown 401 404 404 404 404 404 404
  listSharedNames         401 403 403 403 403 403 200
  getIssuancePolicy       401 404 200 200 200 200 200
  getIssuancePolicy/unknown 401 404 404 404 404 404 404
  setIssuancePolicy       401 404 403 403 403 403 200
  setIssuancePolicy/unknown 401 404 404 404 404 403 404
  setIssuancePolicy/dry-run 401 404 403 403 403 403 200

  createAcmeClient         401 404 403 403 201 201 201
  createAcmeClient/unknown 401 404 404 404 404 404 404
  listAcmeClients          401 404 200 200 200 200 200
  listAcmeClients/unknown  401 404 404 404 404 200 200
  getAcmeClient            401 404 200 200 200 200 200
  getAcmeClient/unknown    401 404 404 404 404 404 404
  getAcmeClient/elsewhere  401 404 404 404 404 404 404
  updateAcmeClient         401 404 403 403 200 200 200
  updateAcmeClient/unknown 401 404 403 403 404 404 404
  rekeyAcmeClient          401 404 403 403 200 200 200
  rekeyAcmeClient/unknown  401 404 403 403 404 404 404
  deleteAcmeClient         401 404 403 403 200 200 200
  deleteAcmeClient/unknown 401 404 403 403 404 404 404
  listLineages            401 404 200 200 200 200 200
  listLineages/unknown    401 404 404 404 404 404 404
  releaseLineage          401 404 403 403 200 200 200
  releaseLineage/unknown  401 404 403 403 404 404 404

  countFqdns              401 200 200 200 200 200 200
  countFqdns/unknown      401 200 200 200 200 200 200
  listFqdns               401 404 200 200 200 200 200
  listFqdns/unknown       401 404 404 404 404 404 404
  listAllFqdns            401 200 200 200 200 200 200
  getOutlook              401 200 200 200 200 200 200
  getPublicReadiness      401 200 200 200 200 200 200
  getExpiryTimeline       401 200 200 200 200 200 200
  getInventory            401 200 200 200 200 200 200
  exportInventory         401 200 200 200 200 200 200
  countFqdnStates         401 200 200 200 200 200 200
  changeFqdns             401 200 200 200 200 200 200
  updateFqdn              401 404 403 200 200 200 200
  updateFqdn/unknown      401 404 403 404 404 404 404
  getFqdn                 401 404 200 200 200 200 200
  getFqdn/unknown         401 404 404 404 404 404 404
  createFqdn              401 404 403 201 201 201 201
  createFqdn/unknown      401 404 404 404 404 404 404
  reviewFqdns             401 404 403 200 200 200 200
  reviewFqdns/unknown     401 404 404 404 404 404 404
  deleteSpaceFqdns         401 200 403 403 200 200 200
  deleteSpaceFqdns/unknown 401 200 200 200 200 200 200
  deleteFqdn              401 404 403 403 200 200 200
  deleteFqdn/unknown      401 404 403 403 404 404 404
  deleteAllFqdns          401 403 403 403 403 200 200
  setRenewalEnabled       401 404 403 200 200 200 200
  setExpiryAccepted       401 404 403 200 200 200 200

  lintCsr                 401 200 200 200 200 200 200
  lintCsr/unknown         401 400 400 400 400 400 400
  uploadCsr               401 404 403 201 201 201 201
  uploadCsr/held          401 404 403 400 400 201 201
  uploadCsr/dry-run       401 404 403 200 200 200 200
  listCsrs                401 404 200 200 200 200 200
  deleteAllCsrs           401 403 403 403 403 200 200
  signCsr                 401 404 403 200 200 200 200
  signCsr/held            401 404 403 400 400 200 200
  getCertificate          401 404 200 200 200 200 200
  getCertificate/unknown  401 404 404 404 404 404 404
  findCertificates         401 200 200 200 200 200 200
  findCertificates/nothing 401 400 400 400 400 400 400
  listCertificates        401 404 200 200 200 200 200
  deliverCertificate      401 404 200 200 200 200 200
  deliverCertificate/none 401 404 404 404 404 404 404
  downloadCertificate     401 404 200 200 200 200 200
  refreshCertificate      401 404 403 200 200 200 200
  revokeCertificate       401 404 403 403 200 200 200
  importCertificate       401 404 403 201 201 201 201
  importCertificate/held  401 404 403 400 400 201 201
  requestCertificate      401 404 403 400 400 400 400
  getChallengeSetup       401 404 200 200 200 200 200
  listIssuanceJobs         401 200 200 200 200 200 200
  listIssuanceJobs/unknown 401 200 200 200 200 200 200
  getIssuanceJob          401 404 200 200 200 200 200
  continueIssuanceJob     401 404 403 200 200 200 200
  cancelIssuanceJob       401 404 403 200 200 200 200
  cancelIssuanceJob/unknown 401 404 404 404 404 404 404

  listRenewals            401 200 200 200 200 200 200
  createTestRenewal       401 403 403 403 403 403 201
  triggerRenewals         401 403 403 403 403 403 200
  runRenewal              401 404 403 200 200 200 200
  runRenewal/unknown      401 404 404 404 404 404 404
  explainRenewal          401 404 200 200 200 200 200

  listTargets             401 404 200 200 200 200 200
  createTarget            401 404 403 201 201 201 201
  createTarget/unknown    401 404 403 404 404 404 404
  updateTarget            401 404 403 200 200 200 200
  deleteTarget            401 404 403 200 200 200 200
  deleteTarget/unknown    401 404 403 404 404 404 404
  probeTarget             401 404 403 200 200 200 200
  watchServers            401 404 403 200 200 200 200
  watchServers/unknown    401 404 404 404 404 404 404
  reportObservation       401 404 403 204 204 204 204
  getServed               401 404 200 200 200 200 200
  getServed/unknown       401 404 404 404 404 404 404
  listServed              401 200 200 200 200 200 200

  listUsers               401 403 403 403 403 403 200
  createUser              401 403 403 403 403 403 201
  getUser                 401 403 403 403 403 403 200
  getUser/own             401 403 403 403 403 403 200
  getUser/unknown         401 403 403 403 403 403 404
  updateUser              401 403 403 403 403 403 200
  updateUser/own          401 403 403 403 403 403 200
  deleteUser              401 403 403 403 403 403 200
  deleteUser/own          401 403 403 403 403 403 400
  getAvatar               401 200 200 200 200 200 200
  getAvatar/unknown       401 404 404 404 404 404 404
  uploadAvatar            401 403 403 403 403 403 200
  uploadAvatar/own        401 200 200 200 200 200 200
  uploadAvatar/unknown    401 404 404 404 404 404 404
  deleteAvatar            401 403 403 403 403 403 200
  deleteAvatar/own        401 200 200 200 200 200 200
  deleteAvatar/unknown    401 404 404 404 404 404 404
  getUserPermissions      401 403 403 403 403 403 200
  getUserPermissions/unknown 401 403 403 403 403 403 404
  getOwnPermissions       401 200 200 200 200 200 200

  listPermissionGroups    401 403 403 403 403 403 200
  createPermissionGroup   401 403 403 403 403 403 201
  getPermissionGroup      401 403 403 403 403 403 200
  updatePermissionGroup   401 403 403 403 403 403 200
  deletePermissionGroup   401 403 403 403 403 403 200
  listGroupMembers        401 403 403 403 403 403 200
  setGroupMembers         401 403 403 403 403 403 200
  addGroupMember          401 403 403 403 403 403 200
  removeGroupMember       401 403 403 403 403 403 200

  listProviders           401 200 200 200 200 200 200
  getProvider             401 200 200 200 200 200 200
  createProvider          401 403 403 403 403 403 201
  deleteProvider          401 403 403 403 403 403 200
  setProviderEnabled      401 403 403 403 403 403 200
  setProviderConfig       401 403 403 403 403 403 200
  testProvider            401 403 403 403 403 403 200

  listAuditLogs           401 200 200 200 200 200 200
  createTestAuditLog      401 403 403 403 403 403 200
  exportAuditLogs         401 200 200 200 200 200 200
  deleteAuditLogs         401 403 403 403 403 403 200
  listChanges             401 200 200 200 200 200 200
  listAuditClearings      401 403 403 403 403 403 200
`.replaceAll(/\n\s*\n/g, '\n'),
);

test('every operation has exactly one row, one request and one permission requirement', () => {
  const operations = Object.keys(certManagerContract).toSorted();
  expect([...new Set(matrix.map(({ operation }) => operation))].toSorted()).toEqual(operations);
  expect(Object.keys(requests).toSorted()).toEqual(matrix.map(({ name }) => name).toSorted());
  expect(Object.keys(routeNeeds).toSorted()).toEqual(operations);
  for (const { name, statuses } of matrix)
    expect([name, statuses]).toEqual([name, callerKinds.map(() => expect.any(Number))]);
});

describeEachDialect('the permission matrix', (open) => {
  let app: TestApp;
  let cast: Cast;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ app, close } = await startAppWithCa(open, withKeys));
    cast = await settleCast(app);
  });
  afterAll(() => close());

  test.each(matrix.map((row) => [row.name, row] as const))('%s', async (name, { statuses }) => {
    const answered: number[] = [];
    for (const kind of callerKinds) {
      const answer = await requests[name]?.(askingAs(app, cast, kind));
      answered.push(answer?.status ?? 0);
    }
    expect(answered).toEqual(statuses);
  });
});

describeEachDialect('the content of lists and counts', (open) => {
  let app: TestApp;
  let cast: Cast;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ app, close } = await startAppWithCa(open));
    cast = await settleCast(app);
    // two FQDNs with a CSR each, one of them where only some may look
    const admin = askingAs(app, cast, 'A');
    await newCertificate(admin);
    await newCertificate({ ...admin, cast: { ...cast, space: (await addSpace(app)).id } });
  });
  afterAll(() => close());

  const counts = [
    ['none', 0],
    ['R', 1],
    ['RW', 1],
    ['F', 1],
    ['GF', 2],
    ['A', 2],
  ] as const;

  describe.each(counts)('for %s', (kind, visible) => {
    const read = async (path: string) => (await askingAs(app, cast, kind).send('get', path).expect(200)).body;

    test('is the spaces that they may read', async () => {
      expect(await read('/spaces')).toHaveLength(visible);
      expect(await read('/stats')).toMatchObject({ spaces: visible, fqdns: visible, csrs: visible });
      expect((await read('/user/permissions')).accessibleSpaces).toHaveLength(visible);
    });

    test('is the entries of these spaces', async () => {
      const { total, logs } = await read('/audit-logs?action=fqdn.create');
      expect([total, logs.length]).toEqual([visible, visible]);
    });

    test('is the count of FQDNs of a space, or 0', async () => {
      expect(await read(`/spaces/${cast.space}/fqdns/count`)).toEqual({ count: Math.min(visible, 1) });
    });

    test('contains changes of users and providers only for administrators', async () => {
      await makeGroup(app, {});
      const { total } = await read('/audit-logs?resourceType=permission-group');
      expect(total > 0).toBe(kind === 'A');
    });
  });
});
