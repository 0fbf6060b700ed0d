import {
  type AnyTable,
  type Database,
  DatabaseMissing,
  type DatabaseOptions,
  DatabaseUnavailable,
  entitiesOf,
  openDatabase,
  type Schema,
} from '@certloop/db';
import { bringUpToDate, type Logger, StartFailed } from '@certloop/server';
import { acmeAccounts, challengeTokens } from './acme/acme-accounts.repository.js';
import { acmeClients } from './acme-clients/acme-clients.repository.js';
import { auditClearings, auditLogs } from './audit/audit.repository.js';
import { certificates } from './certificates/certificates.repository.js';
import type { Config } from './config.js';
import { csrs } from './csrs/csrs.repository.js';
import { events } from './events/events.repository.js';
import { mailTurns } from './events/mail/mail-turns.repository.js';
import { notices } from './events/notices.repository.js';
import { webhookReceivers } from './events/webhook-receivers.repository.js';
import { fqdns } from './fqdns/fqdns.repository.js';
import { nameHolders } from './fqdns/holders/name-holders.repository.js';
import { defaultPolicies } from './fqdns/policy/default-policy.repository.js';
import { policyRefusals } from './fqdns/policy/policy-refusals.repository.js';
import { spacePolicies } from './fqdns/policy/space-policies.repository.js';
import { acmeServerAccounts } from './front/accounts/server-accounts.repository.js';
import { acmeUsedNonces } from './front/nonces/used-nonces.repository.js';
import { acmeServerOrders } from './front/orders/server-orders.repository.js';
import { issuances } from './issuance/signing/issuances.repository.js';
import { access } from './migrations/0001-access.js';
import { addProviders } from './migrations/0002-providers.js';
import { addSpaces } from './migrations/0003-spaces.js';
import { addCertificates } from './migrations/0004-certificates.js';
import { addRenewals } from './migrations/0005-renewals.js';
import { addAcme } from './migrations/0006-acme.js';
import { addAvatars } from './migrations/0007-avatars.js';
import { addWatch } from './migrations/0008-watch.js';
import { addLookups } from './migrations/0009-lookups.js';
import { addAuditIndexes } from './migrations/0010-audit-indexes.js';
import { markReplaced } from './migrations/0011-certificates-in-use.js';
import { orderCertificates } from './migrations/0012-order-of-certificates.js';
import { addTokenFamilies } from './migrations/0013-token-families.js';
import { addSetupTokens } from './migrations/0014-setup-tokens.js';
import { addProviderKinds } from './migrations/0015-provider-kinds.js';
import { addRevocations } from './migrations/0016-revocations.js';
import { addIssuancePolicies } from './migrations/0017-issuance-policies.js';
import { addRepeatedRequests } from './migrations/0018-repeated-requests.js';
import { addSigningRequests } from './migrations/0019-signing-requests.js';
import { addImports } from './migrations/0020-imports.js';
import { addEvents } from './migrations/0021-events.js';
import { storeCertificatesOnce } from './migrations/0022-certificates-once.js';
import { indexCompromisedKeys } from './migrations/0023-compromised-keys.js';
import { addExpiryWatch } from './migrations/0024-expiry-watch.js';
import { addTargets } from './migrations/0025-targets.js';
import { addWebhookReceivers } from './migrations/0026-webhook-receivers.js';
import { addCanary } from './migrations/0027-canary.js';
import { indexJobsBySpace } from './migrations/0028-jobs-by-space.js';
import { addStandings } from './migrations/0029-standings.js';
import { addLastLogin } from './migrations/0030-last-login.js';
import { addProviderTests } from './migrations/0031-provider-tests.js';
import { indexStandingsByProvider } from './migrations/0032-standings-by-provider.js';
import { findCertificates } from './migrations/0033-find-certificates.js';
import { addSpaceSizes } from './migrations/0034-space-sizes.js';
import { addNameHolders } from './migrations/0035-name-holders.js';
import { addSignInPlaces } from './migrations/0036-sign-in-places.js';
import { addDefaultPolicy } from './migrations/0037-default-policy.js';
import { addChainEnds } from './migrations/0038-chain-ends.js';
import { addContactRefusals } from './migrations/0039-contact-refusals.js';
import { addProviderPace } from './migrations/0040-provider-pace.js';
import { addIssuances } from './migrations/0041-issuances.js';
import { moveJobs } from './migrations/0042-jobs.js';
import { addOneRecord } from './migrations/0043-one-record.js';
import { addServedCertificates } from './migrations/0044-served-certificates.js';
import { addOwners } from './migrations/0045-owners.js';
import { addCertificateKeys } from './migrations/0046-certificate-keys.js';
import { addAcmeClients } from './migrations/0047-acme-clients.js';
import { addAcmeFront } from './migrations/0048-acme-front.js';
import { addClientIssuances } from './migrations/0049-client-issuances.js';
import { addLineages } from './migrations/0050-lineages.js';
import { permissionGroupMembers } from './permission-groups/group-members.repository.js';
import { permissionGroupSpaces, permissionGroups } from './permission-groups/permission-groups.repository.js';
import { providers } from './providers/providers.repository.js';
import { encryptionCanaries } from './providers/secrets/canaries.repository.js';
import { jobRuns } from './renewals/queue/job-runs.repository.js';
import { renewalQueue } from './renewals/renewals.repository.js';
import { pendingRevocations } from './revocations/pending-revocations.repository.js';
import { spaceSizes } from './spaces/space-sizes.repository.js';
import { spaces } from './spaces/spaces.repository.js';
import { coveredNames } from './statuses/lineages/covered-names.repository.js';
import { fqdnStatuses } from './statuses/statuses.repository.js';
import { targetChanges } from './targets/probes/target-changes.repository.js';
import { targetStates } from './targets/probes/target-states.repository.js';
import { servedFqdns } from './targets/served/served-fqdns.repository.js';
import { targets } from './targets/targets.repository.js';
import { apiTokens } from './users/api-tokens/api-tokens.repository.js';
import { userAvatars } from './users/avatars/avatars.repository.js';
import { sessions } from './users/sessions/sessions.repository.js';
import { signInPlaces } from './users/sessions/sign-in-places.repository.js';
import { setupTokens } from './users/setup/setup-tokens.repository.js';
import { setupMarks, users } from './users/users.repository.js';
import { canaryTurns } from './watch/canary/canary-turns.repository.js';
import { monitorAnswers } from './watch/monitor/monitor-answers.repository.js';
import { watchPings } from './watch/pings/watch-pings.repository.js';
import { watchedFqdns } from './watch/watched-fqdns.repository.js';

const tables: readonly AnyTable[] = [
  users,
  setupMarks,
  setupTokens,
  sessions,
  signInPlaces,
  apiTokens,
  userAvatars,
  permissionGroups,
  permissionGroupMembers,
  permissionGroupSpaces,
  auditLogs,
  auditClearings,
  providers,
  encryptionCanaries,
  spaces,
  spaceSizes,
  fqdns,
  spacePolicies,
  defaultPolicies,
  policyRefusals,
  nameHolders,
  csrs,
  certificates,
  jobRuns,
  renewalQueue,
  acmeAccounts,
  challengeTokens,
  issuances,
  acmeClients,
  acmeServerAccounts,
  acmeServerOrders,
  acmeUsedNonces,
  watchedFqdns,
  watchPings,
  pendingRevocations,
  events,
  notices,
  mailTurns,
  webhookReceivers,
  monitorAnswers,
  canaryTurns,
  targets,
  targetStates,
  targetChanges,
  servedFqdns,
  fqdnStatuses,
  coveredNames,
];

/** All tables of this service and the steps that lead there, in their order. */
export const schema: Schema = {
  entities: (dialect) => entitiesOf(dialect, tables),
  migrations: [
    access,
    addProviders,
    addSpaces,
    addCertificates,
    addRenewals,
    addAcme,
    addAvatars,
    addWatch,
    addLookups,
    addAuditIndexes,
    markReplaced,
    orderCertificates,
    addTokenFamilies,
    addSetupTokens,
    addProviderKinds,
    addRevocations,
    addIssuancePolicies,
    addRepeatedRequests,
    addSigningRequests,
    addImports,
    addEvents,
    storeCertificatesOnce,
    indexCompromisedKeys,
    addExpiryWatch,
    addTargets,
    addWebhookReceivers,
    addCanary,
    indexJobsBySpace,
    addStandings,
    addLastLogin,
    addProviderTests,
    indexStandingsByProvider,
    findCertificates,
    addSpaceSizes,
    addNameHolders,
    addSignInPlaces,
    addDefaultPolicy,
    addChainEnds,
    addContactRefusals,
    addProviderPace,
    addIssuances,
    moveJobs,
    addOneRecord,
    addServedCertificates,
    addOwners,
    addCertificateKeys,
    addAcmeClients,
    addAcmeFront,
    addClientIssuances,
    addLineages,
  ],
};

export interface OpenMigratedOptions extends Pick<Config, 'databaseUrl' | 'migratesAtStart'> {
  /** Whether a database without tables is refused, and no file created; false when absent. */
  readonly mustExist?: boolean;
  /** Called with the file or address of a database that was new. */
  readonly onCreated?: (shown: string) => void;
}

/**
 * Opens the database and brings its schema up to date. Throws StartFailed when that cannot be done, or is pending and
 * not the service's to do.
 */
export async function openMigrated(
  { databaseUrl: url, migratesAtStart, mustExist = false, onCreated }: OpenMigratedOptions,
  logger: Logger,
): Promise<Database> {
  const onWarning: DatabaseOptions['onWarning'] = ({ name, detail }) => logger.warn(detail, name);
  try {
    const database = await openDatabase({ url, schema, onWarning, mustExist });
    const ran = await bringUpToDate(database, { service: 'cert-manager', migratesAtStart, logger });
    if (ran.length === schema.migrations.length) onCreated?.(database.shown);
    return database;
  } catch (error) {
    if (error instanceof DatabaseMissing) {
      const way =
        'set CERT_MANAGER_DATABASE_URL to the database of the service, or create the database with migrate';
      throw new StartFailed(`${error.message}; ${way}`, { cause: error });
    }
    if (error instanceof DatabaseUnavailable) throw new StartFailed(error.message, { cause: error });
    throw error;
  }
}
