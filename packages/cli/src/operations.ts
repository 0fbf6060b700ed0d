import {
  accountBasePath,
  accountContract,
  badgeContract,
  type Contract,
  certManagerContract,
  checkMonitorBasePath,
  checkMonitorContract,
  dummyCaContract,
  pingContract,
  probesContract,
} from '@certloop/contracts';

/** The command that calls an operation, or the reason why none does. */
export type Reached = { readonly command: string } | { readonly reason: string };

const by = (command: string): Reached => ({ command });
const not = (reason: string): Reached => ({ reason });

const forMachines = 'for probes and programs; a command would add nothing';
const forTests = 'for tests of the service';
const massDeletion = 'loses what all spaces hold; it is left to the API';
const picture = 'pictures are changed in the console';

/** Every operation of cert-manager. */
export const certManagerOperations: Readonly<Record<keyof typeof certManagerContract, Reached>> = {
  getHealth: by('status'),
  getLiveness: not(forMachines),
  getReadiness: not(forMachines),
  getOpenApi: not(forMachines),
  getWatch: by('status'),
  getStats: by('status'),
  getOutlook: by('fqdns outlook'),
  getInventory: by('inventory'),
  exportInventory: by('inventory'),
  getExpiryTimeline: not('for the chart of the console; expiring lists the FQDNs'),
  listChanges: not('for pages that stay open'),
  getAuthState: not('for the page that asks for the password'),
  login: by('login'),
  logout: by('login'),
  getMe: by('whoami'),
  listSessions: by('sessions list'),
  deleteSession: by('sessions delete'),
  changePassword: not('a password is changed in the console, where its owner is signed in'),
  bootstrap: not('once for a service, by its console or curl (docs/deploy.md)'),
  listApiTokens: by('tokens list'),
  createApiToken: by('tokens create'),
  deleteApiToken: by('tokens delete'),
  succeedApiToken: not('for agents, which replace their own token'),
  deleteOwnApiToken: by('logout'),
  listUserApiTokens: by('tokens list'),
  deleteUserApiToken: by('tokens delete'),
  listSpaces: by('spaces list'),
  createSpace: by('spaces create'),
  getSpace: by('spaces get'),
  updateSpace: by('spaces update'),
  deleteSpace: by('spaces delete'),
  setWatchEnabled: by('spaces update'),
  listSharedNames: by('spaces shared-names'),
  getIssuancePolicy: by('spaces policy'),
  setIssuancePolicy: by('spaces policy'),
  countFqdns: by('spaces get'),
  listFqdns: by('issue'),
  listAllFqdns: by('fqdns list'),
  countFqdnStates: by('fqdns count'),
  changeFqdns: by('renewals on'),
  updateFqdn: by('fqdns update'),
  getFqdn: by('fqdns get'),
  createFqdn: by('fqdns add'),
  reviewFqdns: by('import'),
  deleteSpaceFqdns: not('spaces delete --with-fqdns deletes them with their space'),
  deleteFqdn: by('fqdns delete'),
  deleteAllFqdns: not(massDeletion),
  setRenewalEnabled: by('fqdns renewal'),
  setExpiryAccepted: by('fqdns accept-expiry'),
  uploadCsr: by('csrs create'),
  listCsrs: by('csrs list'),
  deleteAllCsrs: not(massDeletion),
  signCsr: by('issue'),
  requestCertificate: by('issue'),
  refreshCertificate: by('certificates refresh'),
  revokeCertificate: by('certificates revoke'),
  importCertificate: by('certificates import'),
  findCertificates: by('certificates find'),
  listCertificates: by('certificates list'),
  getCertificate: by('certificates get'),
  deliverCertificate: not('certificates download asks by id, which also reaches earlier ones'),
  downloadCertificate: by('certificates download'),
  getChallengeSetup: by('fqdns challenge-setup'),
  listIssuanceJobs: by('issuance-jobs list'),
  getIssuanceJob: by('issuance-jobs get'),
  continueIssuanceJob: by('issuance-jobs continue'),
  cancelIssuanceJob: by('issuance-jobs cancel'),
  listRenewals: by('renewals list'),
  createTestRenewal: not(forTests),
  triggerRenewals: not(forTests),
  runRenewal: by('renewals run'),
  explainRenewal: by('fqdns explain'),
  listTargets: by('targets list'),
  createTarget: by('targets create'),
  updateTarget: by('targets update'),
  deleteTarget: by('targets delete'),
  probeTarget: by('targets probe'),
  watchServers: not('for the console and programs'),
  reportObservation: by('probe'),
  getServed: by('targets served'),
  listServed: by('targets served'),
  listUsers: by('users list'),
  createUser: by('users create'),
  getUser: by('users get'),
  updateUser: by('users update'),
  deleteUser: by('users delete'),
  getUserPermissions: by('users permissions'),
  getAvatar: not(picture),
  uploadAvatar: not(picture),
  deleteAvatar: not(picture),
  getOwnPermissions: by('users permissions'),
  listPermissionGroups: by('groups list'),
  createPermissionGroup: by('groups create'),
  getPermissionGroup: by('groups get'),
  updatePermissionGroup: by('groups update'),
  deletePermissionGroup: by('groups delete'),
  listGroupMembers: by('groups get'),
  setGroupMembers: not('groups update --member sets them'),
  addGroupMember: by('groups add-member'),
  removeGroupMember: by('groups remove-member'),
  listProviders: by('providers list'),
  getProvider: by('providers get'),
  createProvider: by('providers create'),
  deleteProvider: by('providers delete'),
  setProviderEnabled: by('providers enable'),
  setProviderConfig: by('providers configure'),
  testProvider: by('providers test'),
  listAuditLogs: by('audit list'),
  deleteAuditLogs: by('audit clear'),
  createTestAuditLog: not(forTests),
  exportAuditLogs: by('audit export'),
  listAuditClearings: by('audit clearings'),
};

/** Every operation of check-monitor that a key of a project may call. */
export const checkMonitorOperations: Readonly<Record<keyof typeof checkMonitorContract, Reached>> = {
  listChecks: by('checks list'),
  getCheck: by('checks get'),
  createCheck: by('checks create'),
  updateCheck: by('checks update'),
  pauseCheck: by('checks pause'),
  resumeCheck: by('checks resume'),
  deleteCheck: by('checks delete'),
  listPings: by('checks pings'),
  getPingBody: by('checks output'),
  listFlips: by('checks flips'),
  listChannels: by('integrations list'),
  testIntegration: by('integrations test'),
  listBadges: by('checks badges'),
  getOwnKey: by('whoami'),
  revokeOwnKey: by('logout'),
};

/** Every operation of check-monitor that takes a session of an account. */
export const accountOperations: Readonly<Record<keyof typeof accountContract, Reached>> = {
  getState: not('for the page that asks for the password'),
  login: by('projects list'),
  logout: by('projects list'),
  getMe: not('for pages; projects list shows what the account reaches'),
  getLimits: not('for the console; operators see them by check-monitor user list'),
  changePassword: not('a password is changed in the console, where its owner is signed in'),
  listProjects: by('projects list'),
  createProject: by('projects create'),
  getProject: by('projects get'),
  renameProject: by('projects update'),
  deleteProject: by('projects delete'),
  listMembers: by('projects get'),
  putMember: by('projects add-member'),
  removeMember: by('projects remove-member'),
  createKey: by('projects create-key'),
  revokeKey: by('projects revoke-key'),
  listAccountChannels: by('integrations get'),
  createChannel: by('integrations create'),
  editChannel: by('integrations update'),
  deleteChannel: by('integrations delete'),
  testChannel: not('integrations test does the same with a key'),
  findOwnCheck: by('projects get'),
  listAccountChecks: by('projects delete'),
  getCheckStates: not('for pages that stay open; checks list shows them'),
  changeChecks: not('for pages; checks pause, resume, update and delete change one check each'),
  clearCheck: not('for pages; delete the check and create it again'),
  moveCheck: not('for pages; checks create in the other project does the same'),
  getAccountCheck: not('checks get does the same with a key'),
  listAccountPings: not('pings list does the same with a key'),
  getAccountPingBody: not('pings get does the same with a key'),
  listAccountFlips: not('flips list does the same with a key'),
  previewSchedule: not('for the form of the console'),
  diagnoseCheck: not('for the page of a check'),
  listEvents: not('for the page of a check; pings and flips list them apart'),
  getDurations: not('for the chart of a check'),
  getDowntimes: not('for the chart of a check'),
  listChannelKinds: by('integrations kinds'),
  tryChannel: by('integrations create'),
  listDeliveries: by('integrations deliveries'),
};

/** Every operation of dummy-ca except those of its ACME server. */
export const dummyCaOperations: Readonly<Record<keyof typeof dummyCaContract, Reached>> = {
  getHealth: not(forMachines),
  signCsr: by('ca issue'),
  getCertificate: not('ca issue writes what it gets'),
  getRoot: by('ca trust'),
  getCertificateStatus: not('clients ask by OCSP or by the revocation list, such as openssl ocsp'),
  getRevocationList: not('clients fetch it from the address in the certificate'),
  getIssuer: not('clients fetch it from the address in the certificate'),
  askOcsp: not('clients ask by OCSP, such as openssl ocsp'),
  askOcspByAddress: not('clients ask by OCSP, such as openssl ocsp'),
};

/** Operations of check-monitor without a key of the management API: pings, badges, probes. */
export const openMonitorOperations: Readonly<
  Record<keyof typeof pingContract | keyof typeof badgeContract | keyof typeof probesContract, Reached>
> = {
  pingSuccess: by('ping'),
  pingStart: by('ping'),
  pingFail: by('ping'),
  pingLog: by('ping'),
  pingNamed: by('ping'),
  pingStartBySlug: by('ping'),
  pingFailBySlug: by('ping'),
  pingLogBySlug: by('ping'),
  pingExitStatusBySlug: by('ping'),
  tagBadgeSvg: not('checks badges lists the addresses for pages'),
  tagBadgeJson: not('checks badges lists the addresses for pages'),
  tagBadgeShields: not('checks badges lists the addresses for pages'),
  allBadgeSvg: not('checks badges lists the addresses for pages'),
  allBadgeJson: not('checks badges lists the addresses for pages'),
  allBadgeShields: not('checks badges lists the addresses for pages'),
  checkBadgeSvg: not('checks badges lists the addresses for pages'),
  checkBadgeJson: not('checks badges lists the addresses for pages'),
  checkBadgeShields: not('checks badges lists the addresses for pages'),
  getLiveness: not(forMachines),
  getReadiness: not(forMachines),
};

/** Operations of one contract with how they are reached. */
export interface OperationTable {
  readonly service: string;
  readonly contract: Contract;
  readonly reached: Readonly<Record<string, Reached>>;
}

/** All operations of the three services, for docs/command-line.md and its test. */
export const operationTables: readonly OperationTable[] = [
  { service: 'cert-manager', contract: certManagerContract, reached: certManagerOperations },
  {
    service: 'check-monitor, with a key',
    contract: below(checkMonitorBasePath, checkMonitorContract),
    reached: checkMonitorOperations,
  },
  {
    service: 'check-monitor, with an account',
    contract: below(accountBasePath, accountContract),
    reached: accountOperations,
  },
  {
    service: 'check-monitor, open',
    contract: { ...pingContract, ...badgeContract, ...probesContract },
    reached: openMonitorOperations,
  },
  { service: 'dummy-ca', contract: dummyCaContract, reached: dummyCaOperations },
];

function below(base: string, contract: Contract): Contract {
  return Object.fromEntries(
    Object.entries(contract).map(([name, shape]) => [name, { ...shape, path: `${base}${shape.path}` }]),
  );
}
