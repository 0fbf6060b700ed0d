import type { Tx } from '@certloop/db';
import { createLimiter, type SessionCookie } from '@certloop/server';
import type { AppOptions } from './app-options.js';
import { auditHandlers } from './audit/audit.routes.js';
import { createRunningExports } from './audit/export/running-exports.store.js';
import { createAuditCounts } from './audit/search/audit-counts.store.js';
import { certificatesHandlers } from './certificates/certificates.routes.js';
import { listLastCertificates } from './certificates/newest-certificates.repository.js';
import { listKeyFingerprints } from './csrs/csrs.repository.js';
import { csrsHandlers } from './csrs/csrs.routes.js';
import { countFqdnRows } from './fqdns/fqdns.repository.js';
import { fqdnsHandlers } from './fqdns/fqdns.routes.js';
import { challengeSetupHandlers } from './issuance/challenges/challenge-setup.routes.js';
import { ownAddress } from './issuance/challenges/web-server-lines.js';
import { issuanceHandlers } from './issuance/issuance.routes.js';
import { findJobIdOfCertificate } from './issuance/jobs/issuance-jobs.repository.js';
import { createSigningSlots } from './issuance/signing/signing-slots.store.js';
import { permissionGroupsHandlers } from './permission-groups/permission-groups.routes.js';
import { issuancePolicyHandlers } from './policies/issuance-policy.routes.js';
import { providersHandlers } from './providers/providers.routes.js';
import { renewAtOf } from './renewals/outlook/read-outlook.service.js';
import { isBeingRenewed } from './renewals/renewal-history.repository.js';
import { renewalsHandlers } from './renewals/renewals.routes.js';
import { revocationsHandlers } from './revocations/revocations.routes.js';
import type { ServiceParts } from './service-parts.service.js';
import { listSpaceRows, lockSpacesForShare } from './spaces/spaces.repository.js';
import { spacesHandlers } from './spaces/spaces.routes.js';
import { outlookHandlers } from './standings/outlook/outlook.routes.js';
import { createRecentAnswers } from './standings/outlook/recent-answers.store.js';
import { readProviderUsage } from './standings/read-provider-usage.service.js';
import { standingsHandlers } from './standings/standings.routes.js';
import { listProviderUses } from './system/provider-uses.service.js';
import { systemHandlers } from './system/system.routes.js';
import { targetsHandlers } from './targets/targets.routes.js';
import { apiTokensHandlers } from './users/api-tokens/api-tokens.routes.js';
import { avatarsHandlers } from './users/avatars/avatars.routes.js';
import { sessionsHandlers } from './users/sessions/sessions.routes.js';
import { lockUsersForShare } from './users/users.repository.js';
import { usersHandlers } from './users/users.routes.js';
import { watchHandlers } from './watch/watch.routes.js';

/** What the handlers share, in addition to the options of the app. */
export interface ApiParts extends ServiceParts {
  readonly cookie: SessionCookie;
  readonly deviceCookie: SessionCookie;
  /** Whether the service takes no more requests. */
  readonly isDraining: () => boolean;
}

/** The handler of every endpoint, with the ports that its slice needs of later ones. */
export function apiHandlers(options: AppOptions, parts: ApiParts) {
  const { database: db, clock, steady } = options;
  const { renewals, targets, isDraining } = parts;
  return {
    ...auditApi(options, parts),
    ...peopleApi(options, parts),
    ...inventoryApi(options, parts),
    ...issuanceApi(options, parts),
    ...standingsApi(options, parts),
    ...watchHandlers({ db, clock, ...renewals.scheduler }),
    ...targetsHandlers(targets.deps),
    ...systemHandlers({
      db,
      clock,
      isDraining,
      findClockFault: () => steady?.fault(),
      readContact: renewals.readContact,
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
function inventoryApi({ database: db, logger, clock }: AppOptions, { renewals }: ApiParts) {
  const { scheduler, review } = renewals;
  const beginReview = () => {
    review.run().catch((error: unknown) => logger.error({ error }, 'policy.review_failed'));
  };
  return {
    ...spacesHandlers({ db, clock, countFqdns: countFqdnRows, ...scheduler }),
    ...issuancePolicyHandlers({ db, clock, beginReview }),
    ...fqdnsHandlers({ db, clock, fingerprintsUnder, ...scheduler }),
    ...csrsHandlers({ db, clock, ...scheduler }),
    ...certificatesHandlers({ db, clock, findJobId: findJobIdOfCertificate, ...scheduler }),
  };
}

/** Providers, and what obtains, renews and revokes certificates. */
function issuanceApi({ config, database: db, clock }: AppOptions, parts: ApiParts) {
  const { renewals, issuance, opener, outgoing, addresses } = parts;
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
      listUses: listProviderUses,
      readUsage: (caller) => readProviderUsage(usage, caller),
    }),
    ...issuanceHandlers({
      db,
      clock,
      opener,
      renewAtOf,
      isBeingRenewed,
      ...renewals.scheduler,
      runner: issuance.runner,
      signingSlots: createSigningSlots(),
    }),
    ...revocationsHandlers(issuance.revocations),
    ...challengeSetupHandlers({ db, own: ownAddress(config), challengePort }),
    ...renewalsHandlers({
      db,
      clock,
      opener,
      watchWordOf: renewals.watchWord,
      triggerRun: () => void renewals.job.run(),
    }),
  };
}

/** How FQDNs stand, and what is ahead of them. */
function standingsApi({ config, database: db, clock }: AppOptions, { renewals }: ApiParts) {
  const { monitorPublicUrl } = config;
  return {
    ...standingsHandlers({ db, clock, keyAlgorithms: new Map(), monitorPublicUrl, ...renewals.scheduler }),
    ...outlookHandlers({
      db,
      clock,
      outlooks: createRecentAnswers(clock, 60_000),
      timelines: createRecentAnswers(clock, 10_000),
    }),
  };
}

async function listSpaceIds(tx: Tx, scope: 'all' | readonly string[]): Promise<string[]> {
  return (await listSpaceRows(tx, scope)).map(({ id }) => id);
}

/** What the audit log stores about the CSRs and certificates of a deleted FQDN. */
async function fingerprintsUnder(tx: Tx, fqdnId: string) {
  const certificates = await listLastCertificates(tx, fqdnId, 20);
  return {
    csrKeys: await listKeyFingerprints(tx, fqdnId),
    certificates: certificates.map(({ serialNumber }) => serialNumber),
  };
}
