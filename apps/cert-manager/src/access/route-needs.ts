import { type certManagerContract, Forbidden } from '@certloop/contracts';
import type { Caller } from './caller.js';
import { type Level, requireAdmin, requireFullAccess, requireLevel } from './permissions.js';

export type Operation = keyof typeof certManagerContract;

/** Need of a caller before anything else in the request is checked. */
export type Need =
  | 'anonymous'
  /** No credential, but there must never have been an administrator. */
  | 'before-setup'
  | 'signed-in'
  /** A browser session: a token must not create tokens or change the password. */
  | 'session'
  /** An API token of any scope. */
  | 'token'
  | 'full-access'
  | 'admin'
  /** The caller is the user in the path or an administrator; the use case looks the user up and checks this. */
  | 'own-account'
  /** A level on the space in a path parameter, optionally with a further right. */
  | { readonly space: Level; readonly param: 'id' | 'spaceId'; readonly also?: 'full-access' | 'admin' };

const onSpace = (space: Level) => ({ space, param: 'spaceId' }) as const;

/** The need of each operation. A missing operation does not compile, so no endpoint is open by mistake. */
export const routeNeeds: Readonly<Record<Operation, Need>> = {
  getHealth: 'anonymous',
  getLiveness: 'anonymous',
  getReadiness: 'anonymous',
  getOpenApi: 'anonymous',
  getWatch: 'signed-in',
  getStats: 'signed-in',

  getAuthState: 'anonymous',
  login: 'anonymous',
  bootstrap: 'before-setup',
  logout: 'session',
  listSessions: 'session',
  deleteSession: 'session',
  getMe: 'signed-in',
  changePassword: 'session',
  listApiTokens: 'session',
  createApiToken: 'session',
  deleteApiToken: 'session',
  succeedApiToken: 'token',
  deleteOwnApiToken: 'token',
  listUserApiTokens: 'admin',
  deleteUserApiToken: 'admin',

  listSpaces: 'signed-in',
  createSpace: 'full-access',
  getSpace: { space: 'READ', param: 'id' },
  updateSpace: { space: 'FULL_ACCESS', param: 'id' },
  deleteSpace: { space: 'READ', param: 'id', also: 'full-access' },
  setWatchEnabled: { space: 'FULL_ACCESS', param: 'id' },
  listSharedNames: 'admin',
  getIssuancePolicy: { space: 'READ', param: 'id' },
  setIssuancePolicy: { space: 'READ', param: 'id', also: 'admin' },

  createAcmeClient: onSpace('FULL_ACCESS'),
  listAcmeClients: onSpace('READ'),
  getAcmeClient: onSpace('READ'),
  updateAcmeClient: onSpace('FULL_ACCESS'),
  rekeyAcmeClient: onSpace('FULL_ACCESS'),
  deleteAcmeClient: onSpace('FULL_ACCESS'),
  listLineages: onSpace('READ'),
  releaseLineage: onSpace('FULL_ACCESS'),

  // Returns 0 for a space that the caller may not read.
  countFqdns: 'signed-in',
  // By the levels that the caller holds.
  listAllFqdns: 'signed-in',
  countFqdnStates: 'signed-in',
  // Skips FQDNs on whose spaces the caller lacks READ_WRITE.
  changeFqdns: 'signed-in',
  getOutlook: 'signed-in',
  getPublicReadiness: 'signed-in',
  getExpiryTimeline: 'signed-in',
  getInventory: 'signed-in',
  exportInventory: 'signed-in',
  listFqdns: { space: 'READ', param: 'id' },
  getFqdn: { space: 'READ', param: 'id' },
  updateFqdn: { space: 'READ_WRITE', param: 'id' },
  createFqdn: { space: 'READ_WRITE', param: 'id' },
  reviewFqdns: { space: 'READ_WRITE', param: 'id' },
  // Deletes nothing in a space that the caller may not read, and returns 200.
  deleteSpaceFqdns: 'signed-in',
  deleteFqdn: { space: 'FULL_ACCESS', param: 'id' },
  deleteAllFqdns: 'full-access',
  setRenewalEnabled: onSpace('READ_WRITE'),
  setExpiryAccepted: onSpace('READ_WRITE'),

  // Reads nothing of any space.
  lintCsr: 'signed-in',
  uploadCsr: onSpace('READ_WRITE'),
  listCsrs: onSpace('READ'),
  deleteAllCsrs: 'full-access',

  signCsr: onSpace('READ_WRITE'),
  requestCertificate: onSpace('READ_WRITE'),
  refreshCertificate: onSpace('READ_WRITE'),
  revokeCertificate: onSpace('FULL_ACCESS'),
  importCertificate: onSpace('READ_WRITE'),
  // Finds only what the caller may read.
  findCertificates: 'signed-in',
  listCertificates: onSpace('READ'),
  getCertificate: onSpace('READ'),
  deliverCertificate: onSpace('READ'),
  downloadCertificate: onSpace('READ'),
  getChallengeSetup: onSpace('READ'),
  // Returns only what the caller may read.
  listIssuanceJobs: 'signed-in',
  // The job names the space, so its use case judges the level.
  getIssuanceJob: 'signed-in',
  continueIssuanceJob: 'signed-in',
  cancelIssuanceJob: 'signed-in',

  listRenewals: 'signed-in',
  createTestRenewal: 'admin',
  triggerRenewals: 'admin',
  // The entry names the space, so its use case judges the level.
  runRenewal: 'signed-in',
  explainRenewal: onSpace('READ'),

  listTargets: onSpace('READ'),
  createTarget: onSpace('READ_WRITE'),
  updateTarget: onSpace('READ_WRITE'),
  deleteTarget: onSpace('READ_WRITE'),
  probeTarget: onSpace('READ_WRITE'),
  watchServers: onSpace('READ_WRITE'),
  reportObservation: onSpace('READ_WRITE'),
  getServed: onSpace('READ'),
  listServed: 'signed-in',

  listUsers: 'admin',
  createUser: 'admin',
  getUser: 'admin',
  updateUser: 'admin',
  deleteUser: 'admin',
  getAvatar: 'signed-in',
  uploadAvatar: 'own-account',
  deleteAvatar: 'own-account',
  getUserPermissions: 'admin',
  getOwnPermissions: 'signed-in',

  listPermissionGroups: 'admin',
  createPermissionGroup: 'admin',
  getPermissionGroup: 'admin',
  updatePermissionGroup: 'admin',
  deletePermissionGroup: 'admin',
  listGroupMembers: 'admin',
  setGroupMembers: 'admin',
  addGroupMember: 'admin',
  removeGroupMember: 'admin',

  listProviders: 'signed-in',
  getProvider: 'signed-in',
  createProvider: 'admin',
  deleteProvider: 'admin',
  setProviderEnabled: 'admin',
  setProviderConfig: 'admin',
  testProvider: 'admin',

  listChanges: 'signed-in',
  listAuditLogs: 'signed-in',
  deleteAuditLogs: 'admin',
  createTestAuditLog: 'admin',
  exportAuditLogs: 'signed-in',
  listAuditClearings: 'admin',
};

/**
 * Throws the errors of `requireLevel`, `requireFullAccess` and `requireAdmin` if the caller does not meet the need, and
 * Forbidden for an ACME client, which no endpoint of the API admits.
 * Sign-in itself was checked before, when the caller was identified.
 */
export function requireNeed(caller: Caller, need: Need, params: Readonly<Record<string, string>>): void {
  if (caller.kind === 'acmeClient') throw isAcmeClient();
  if (need === 'anonymous' || need === 'before-setup' || need === 'signed-in' || need === 'own-account')
    return;
  if (need === 'session') requireSession(caller);
  else if (need === 'token') requireToken(caller);
  else if (need === 'full-access') requireFullAccess(caller);
  else if (need === 'admin') requireAdmin(caller);
  else {
    // uuids are stored in lower case; a path may contain upper case
    requireLevel(caller, (params[need.param] ?? '').toLowerCase(), need.space);
    if (need.also === 'full-access') requireFullAccess(caller);
    if (need.also === 'admin') requireAdmin(caller);
  }
}

function isAcmeClient(): Forbidden {
  return new Forbidden('ACME clients order certificates below /acme and may use nothing else', {
    code: 'acme_client_refused',
    title: 'Not for ACME clients',
  });
}

function requireSession(caller: Caller): void {
  if (caller.sessionId === undefined) {
    throw new Forbidden('this needs a session: sign in with user name and password', {
      code: 'session_required',
      title: 'Session required',
    });
  }
}

function requireToken(caller: Caller): void {
  if (caller.tokenId === undefined) {
    throw new Forbidden('this call needs an API token: send one as Bearer', {
      code: 'token_required',
      title: 'API token required',
    });
  }
}
