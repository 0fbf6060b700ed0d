import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { AcmeClientEvents } from '../acme-clients/acme-clients.service.js';
import { wakeHeld } from '../certificates/delivery/await-certificate.service.js';
import type { HeldRequests } from '../certificates/delivery/held-requests.store.js';
import type { CertificateEvents } from '../certificates/store-certificates.service.js';
import type { CsrEvents } from '../csrs/csrs.service.js';
import type { Notices } from '../events/notices.service.js';
import type { FqdnEvents } from '../fqdns/fqdns.service.js';
import type { CountOrder } from '../front/count-order.js';
import { endForbiddenOrders } from '../front/end-forbidden-orders.service.js';
import {
  endAccountsOfClient,
  endAccountsOfSpace,
  endOrdersOfFqdns,
} from '../front/end-of-clients.service.js';
import type { LineageEvents } from '../front/lineages/lineage-events.service.js';
import { endOrders } from '../front/orders/answer-orders.service.js';
import { cancelOfDeletedClient } from '../issuance/clients/cancel-client-issuances.service.js';
import { removeJobs } from '../issuance/jobs/unfinished-order.service.js';
import type { IssuanceEvents } from '../issuance/signing/end-issuance.service.js';
import { deleteSpaceFromGroups } from '../permission-groups/permission-groups.repository.js';
import type { PolicyEvents } from '../policies/review-spaces.service.js';
import type { ProviderEvents } from '../providers/providers.service.js';
import type { RenewalEvents } from '../renewals/queue/settle-renewal.service.js';
import { replanRenewals } from '../renewals/replan-renewals.service.js';
import {
  planWithCsr,
  removePlannedRenewals,
  replanImported,
  replanRevoked,
  replanSwitched,
  rescheduleRenewal,
} from '../renewals/schedule-renewals.service.js';
import type { RevocationEvents } from '../revocations/settle-revocation.service.js';
import type { SpaceEvents } from '../spaces/spaces.service.js';
import {
  refreshLineages,
  refreshStates,
  refreshStatesOfProvider,
  refreshStatesWithoutCsrs,
  storeRequestFailure,
} from '../statuses/refresh-states.service.js';
import type { StateEvents } from '../statuses/sweep-statuses.service.js';
import { endAdoption } from '../targets/adoption/end-adoption.service.js';
import type { TargetEvents } from '../targets/probes/settle-observed.service.js';
import { scheduleProbes } from '../targets/served/follow-stored.service.js';
import { recordDriftNotice, recordInServiceNotice } from '../targets/served/served-news.service.js';
import type { ExpiryEvents } from '../watch/expiry/accept-expiry.service.js';
import { recordClientNotice, recordFailedNotice } from '../watch/notices/certificate-events.service.js';
import { recordRevokedNotice, recordStoredNotice } from '../watch/notices/issuance-events.service.js';
import { updateCheck } from '../watch/watch-changes.service.js';
import {
  pingFailedRenewal,
  pingFailedRequest,
  pingLineages,
  pingPolicyVerdict,
  pingRevoked,
  pingServed,
  pingStored,
  removeChecks,
  switchAcceptance,
  switchAdoption,
  switchModes,
  switchSpaceChecks,
  updateCorrectedChecks,
  updateDescriptions,
  updateRefreshedCheck,
  updateRenewedChecks,
  updateRevokedLineage,
} from '../watch/watch-events.service.js';
import { noteRefusedTry, reviewRefused } from './follow-policies.service.js';

/** Events of FQDNs, each emitted once in the transaction of the change. */
export type Emit = SpaceEvents &
  FqdnEvents &
  CsrEvents &
  CertificateEvents &
  ProviderEvents &
  IssuanceEvents &
  AcmeClientEvents &
  LineageEvents &
  RevocationEvents &
  RenewalEvents &
  TargetEvents &
  StateEvents &
  ExpiryEvents &
  PolicyEvents;

/** Dependencies of the reactions. */
export interface ReactionDeps {
  readonly clock: Clock;
  /** Undefined without a destination of notices. */
  readonly notices: Notices | undefined;
  /** Undefined without a monitor. */
  readonly watch: { readonly watchesExpiry: boolean } | undefined;
  /** Counts orders of ACME clients that have ended; absent where nothing is counted. */
  readonly countOrder?: CountOrder;
  /** Requests that wait for newer certificates; absent where none are held. */
  readonly held?: HeldRequests;
}

/** Dependencies of the reactions, and the events that follow from them. */
type ReactionContext = ReactionDeps & { readonly emit: Emit };

type Reactions = {
  readonly [Name in keyof Emit]: readonly ((
    tx: Tx,
    event: Parameters<Emit[Name]>[1],
    deps: ReactionContext,
  ) => Promise<void>)[];
};

/** Reactions to each event in its transaction, in this order; docs/architecture.md shows the same lists. */
export const reactions: Reactions = {
  certificateStored: [
    endAdoption,
    replanRenewals,
    recordStoredNotice,
    scheduleProbes,
    pingStored,
    reviewRefused,
    refreshStates,
    wakeHeld,
  ],
  certificateRefreshed: [rescheduleRenewal, updateRefreshedCheck, refreshStates],
  certificateRevoked: [replanRevoked, pingRevoked, refreshStates, recordRevokedNotice],
  replacedCertificateRevoked: [recordRevokedNotice, updateRevokedLineage, refreshStates],
  certificateInService: [recordInServiceNotice],
  csrStored: [planWithCsr, updateRenewedChecks, reviewRefused, refreshStates],
  csrsDeleted: [removePlannedRenewals, refreshStatesWithoutCsrs],
  issuanceFailed: [storeRequestFailure, pingFailedRequest],
  clientIssuanceEnded: [endOrders],
  lineagesChanged: [pingLineages, recordClientNotice, refreshLineages],
  renewalFailed: [pingFailedRenewal, noteRefusedTry, recordFailedNotice, refreshStates],
  renewalSwitched: [replanSwitched, switchModes, reviewRefused, refreshStates],
  renewalPlanned: [refreshStates],
  renewalAdvised: [updateCheck, refreshStates],
  expiryAccepted: [switchAcceptance, refreshStates],
  providerChanged: [replanImported, updateRenewedChecks, refreshStates],
  providerSwitched: [refreshStatesOfProvider],
  policyChanged: [pingPolicyVerdict, refreshStates],
  targetsJudged: [pingServed, refreshStates, recordDriftNotice],
  adoptionSwitched: [switchAdoption],
  statesCorrected: [updateCorrectedChecks],
  fqdnCreated: [refreshStates],
  descriptionChanged: [updateDescriptions, refreshStates],
  fqdnDeleted: [removeJobs, endOrdersOfFqdns, removeChecks],
  spaceDeleted: [deleteSpaceFromGroups, removeJobs, endAccountsOfSpace, removeChecks],
  watchSwitched: [switchSpaceChecks],
  acmeClientChanged: [endForbiddenOrders],
  acmeClientDeleted: [cancelOfDeletedClient, endAccountsOfClient],
};

/** Returns the functions that emit the events; each ends when all that follows is written. */
export function createEmit(deps: ReactionDeps): Emit {
  const emitters = Object.entries(reactions).map(([name, list]) => {
    const react = async (tx: Tx, event: never) => {
      for (const reaction of list) await reaction(tx, event, { ...deps, emit });
    };
    return [name, react];
  });
  const emit: Emit = Object.fromEntries(emitters);
  return emit;
}
