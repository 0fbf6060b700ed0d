import type { Tx } from '@certloop/db';
import { type Clock, createLimiter, type SessionCookie } from '@certloop/server';
import { acmeClientsHandlers } from './acme-clients/acme-clients.routes.js';
import { acmeDirectory } from './acme-clients/client-address.js';
import type { AppOptions } from './app-options.js';
import { auditHandlers } from './audit/audit.routes.js';
import type { Denials } from './audit/denials.service.js';
import { createRunningExports } from './audit/export/running-exports.store.js';
import { createAuditCounts } from './audit/search/audit-counts.store.js';
import { certificatesHandlers } from './certificates/certificates.routes.js';
import { listCompromisedKeys } from './certificates/compromised-keys.repository.js';
import type { HeldRequests } from './certificates/delivery/held-requests.store.js';
import { listLastCertificates } from './certificates/newest-certificates.repository.js';
import type { Emit } from './changes/reactions.service.js';
import type { Config } from './config.js';
import { listKeyFingerprints } from './csrs/csrs.repository.js';
import { csrsHandlers } from './csrs/csrs.routes.js';
import { countFqdnRows } from './fqdns/fqdns.repository.js';
import { fqdnsHandlers } from './fqdns/fqdns.routes.js';
import { readClientUse } from './front/client-use.repository.js';
import { statedAcmeBase } from './http/acme-base.js';
import { challengeSetupHandlers } from './issuance/challenges/challenge-setup.routes.js';
import { ownAddress } from './issuance/challenges/web-server-lines.js';
import { issuanceHandlers } from './issuance/issuance.routes.js';
import { findJobIdOfCertificate } from './issuance/jobs/issuance-jobs.repository.js';
import type { IssuanceRunner } from './issuance/jobs/issuance-runner.service.js';
import type { SigningWork } from './issuance/signing/signing-work.service.js';
import { permissionGroupsHandlers } from './permission-groups/permission-groups.routes.js';
import { issuancePolicyHandlers } from './policies/issuance-policy.routes.js';
import type { PolicyReview } from './policies/review-spaces.service.js';
import type { ProviderAddresses } from './providers/changes/ensure-providers.service.js';
import type { ProviderOpener } from './providers/open-provider.service.js';
import type { Outgoing } from './providers/outgoing.client.js';
import { providersHandlers } from './providers/providers.routes.js';
import { readinessHandlers } from './readiness/readiness.routes.js';
import type { ExplainRenewalDeps } from './renewals/explanation/explain-renewal.service.js';
import { renewAtOf } from './renewals/outlook/read-outlook.service.js';
import { renewalsHandlers } from './renewals/renewals.routes.js';
import { revocationsHandlers } from './revocations/revocations.routes.js';
import type { RevocationDeps } from './revocations/settle-revocation.service.js';
import { listSpaceRows, lockSpacesForShare } from './spaces/spaces.repository.js';
import { spacesHandlers } from './spaces/spaces.routes.js';
import { inventoryHandlers } from './statuses/inventory/inventory.routes.js';
import { describeClient } from './statuses/lineages/describe-client.service.js';
import { lineagesHandlers } from './statuses/lineages/lineages.routes.js';
import { outlookHandlers } from './statuses/outlook/outlook.routes.js';
import { createRecentAnswers } from './statuses/outlook/recent-answers.store.js';
import { readProviderUsage } from './statuses/read-provider-usage.service.js';
import { statusesHandlers } from './statuses/statuses.routes.js';
import { createKnownFacts } from './statuses/text-facts.service.js';
import { listProviderUses } from './system/provider-uses.service.js';
import { systemHandlers } from './system/system.routes.js';
import { targetsHandlers } from './targets/targets.routes.js';
import { apiTokensHandlers } from './users/api-tokens/api-tokens.routes.js';
import { avatarsHandlers } from './users/avatars/avatars.routes.js';
import { sessionsHandlers } from './users/sessions/sessions.routes.js';
import { lockUsersForShare } from './users/users.repository.js';
import { usersHandlers } from './users/users.routes.js';
import type { MonitorContact } from './watch/monitor/monitor-contact.store.js';
import { watchHandlers } from './watch/watch.routes.js';
import { watchWordOf } from './watch/watched-subject.service.js';
import { monitorOf } from './watch-settings.js';

/** Parts that the handlers share with the jobs and each other. */
export interface ApiParts {
  readonly accounts: Accounts;
  readonly cookie: SessionCookie;
  readonly deviceCookie: SessionCookie;
  readonly denials: Denials;
  readonly addresses: ProviderAddresses;
  readonly outgoing: Outgoing;
  readonly opener: ProviderOpener;
  readonly emit: Emit;
  /** Requests that wait for newer certificates. */
  readonly held: HeldRequests;
  readonly review: PolicyReview;
  readonly revocations: RevocationDeps;
  readonly issuanceRunner: IssuanceRunner;
  readonly signing: SigningWork;
  readonly targets: Parameters<typeof targetsHandlers>[0];
  readonly readContact: () => MonitorContact | undefined;
  /** Starts a run of the renewal queue. */
  readonly triggerRenewals: () => void;
  /** Whether the service takes no more requests. */
  readonly isDraining: () => boolean;
}

type Accounts = Omit<
  Parameters<typeof sessionsHandlers>[0],
  'cookie' | 'deviceCookie' | 'authMode' | 'monitorPublicUrl'
> &
  Parameters<typeof apiTokensHandlers>[0];

/** The handler of every endpoint, with the ports that its slice needs of later ones. */
export function apiHandlers(options: AppOptions, parts: ApiParts) {
  const { config, database: db, clock, steady } = options;
  const { emit, readContact, targets, isDraining } = parts;
  return {
    ...auditApi(options, parts),
    ...peopleApi(options, parts),
    ...inventoryApi(options, parts),
    ...issuanceApi(options, parts),
    ...statusesApi(options, parts),
    ...acmeClientsHandlers({
      db,
      clock,
      keyRing: config.encryptionKeys,
      directory: acmeDirectory(statedAcmeBase(config), ownAddress(config).origin),
      emit,
      readUse: readClientUse,
    }),
    ...watchHandlers({
      db,
      clock,
      hasMonitor: monitorOf(config) !== undefined,
      readContact,
      monitorPublicUrl: config.monitorPublicUrl,
      emit,
    }),
    ...targetsHandlers(targets),
    ...systemHandlers({
      db,
      clock,
      isDraining,
      findClockFault: () => steady?.fault(),
      readContact,
    }),
  };
}

function auditApi({ config, database: db, logger, clock }: AppOptions, { denials }: ApiParts) {
  return auditHandlers({
    db,
    clock,
    logger,
    denials,
    counts: createAuditCounts(db.dialect),
    // so that some of the database's readers are left for others
    limitSearches: createLimiter({ atOnce: 2, maxWaiting: 50 }),
    exports: createRunningExports(),
    mayDelete: config.auditDelete === 'allow',
  });
}

/** Users, their sessions and tokens, and their groups. */
function peopleApi(
  { config, database: db, clock }: AppOptions,
  { accounts, cookie, deviceCookie }: ApiParts,
) {
  const { authMode, monitorPublicUrl } = config;
  return {
    ...sessionsHandlers({ ...accounts, cookie, deviceCookie, authMode, monitorPublicUrl }),
    ...apiTokensHandlers(accounts),
    ...permissionGroupsHandlers({ db, clock, lockSpacesForShare, lockUsersForShare }),
    ...avatarsHandlers({ db, clock }),
    ...usersHandlers({ ...accounts, listSpaceIds }),
  };
}

/** Spaces, FQDNs, and the CSRs and certificates under them. */
function inventoryApi({ database: db, logger, clock }: AppOptions, { review, emit, held }: ApiParts) {
  const beginReview = () => {
    review.run().catch((error: unknown) => logger.error({ error }, 'policy.review_failed'));
  };
  return {
    ...spacesHandlers({ db, clock, countFqdns: countFqdnRows, emit }),
    ...issuancePolicyHandlers({ db, clock, beginReview }),
    ...fqdnsHandlers({ db, clock, fingerprintsUnder, emit }),
    ...csrsHandlers({ db, clock, emit, listCompromisedKeys }),
    ...certificatesHandlers({ db, clock, findJobId: findJobIdOfCertificate, emit, held }),
  };
}

/** Providers, and what obtains, renews and revokes certificates. */
function issuanceApi({ config, database: db, clock }: AppOptions, parts: ApiParts) {
  const { opener, outgoing, addresses, emit, triggerRenewals: triggerRun } = parts;
  const { encryptionKeys: keyRing, http01Port: challengePort } = config;
  const usage = { db, usages: createRecentAnswers(clock, 10_000) };
  return {
    ...providersHandlers({
      db,
      clock,
      outgoing,
      opener,
      keyRing,
      addresses,
      emit,
      listUses: listProviderUses,
      readUsage: (caller) => readProviderUsage(usage, caller),
    }),
    ...issuanceHandlers({
      db,
      clock,
      opener,
      renewAtOf,
      emit,
      runner: parts.issuanceRunner,
      signing: parts.signing,
    }),
    ...revocationsHandlers(parts.revocations),
    ...challengeSetupHandlers({ db, own: ownAddress(config), challengePort }),
    ...renewalsHandlers({
      db,
      clock,
      opener,
      watchWordOf: watchWordsOf(config, clock),
      describeClient: (tx, fqdnId) => describeClient(tx, fqdnId, clock.now()),
      triggerRun,
    }),
  };
}

/** How FQDNs stand, and what is ahead of them. */
function statusesApi({ config, database: db, clock }: AppOptions, { emit }: ApiParts) {
  const { monitorPublicUrl } = config;
  return {
    ...statusesHandlers({ db, clock, known: createKnownFacts(), monitorPublicUrl, emit }),
    ...lineagesHandlers({ db, clock, emit }),
    ...outlookHandlers({
      db,
      clock,
      outlooks: createRecentAnswers(clock, 60_000),
      timelines: createRecentAnswers(clock, 10_000),
    }),
    ...inventoryHandlers({
      db,
      clock,
      inventories: createRecentAnswers(clock, 60_000),
      exports: createRunningExports(),
    }),
    ...readinessHandlers({
      db,
      clock,
      reports: createRecentAnswers(clock, 60_000),
      leaves: new Map(),
      limitReviews: createLimiter({ atOnce: 1, maxWaiting: 50 }),
    }),
  };
}

async function listSpaceIds(tx: Tx, scope: 'all' | readonly string[]): Promise<string[]> {
  return (await listSpaceRows(tx, scope)).map(({ id }) => id);
}

/** Returns what the audit log stores about the CSRs and certificates of a deleted FQDN. */
async function fingerprintsUnder(tx: Tx, fqdnId: string) {
  const certificates = await listLastCertificates(tx, fqdnId, 20);
  return {
    csrKeys: await listKeyFingerprints(tx, fqdnId),
    certificates: certificates.map(({ serialNumber }) => serialNumber),
  };
}

/** Returns what the monitor watches of an FQDN. */
function watchWordsOf(config: Config, clock: Clock): ExplainRenewalDeps['watchWordOf'] {
  if (monitorOf(config) === undefined) return async () => 'no';
  const { watchesExpiry } = config;
  return (tx, fqdn, newest) => watchWordOf(tx, fqdn, newest, { now: clock.now(), watchesExpiry });
}
