import type { Operation } from '../access/route-needs.js';

/**
 * Operations whose responses are compressed if the caller accepts it: those that grow with the data and hold no secret.
 * Not the audit log, which contains text of callers who have not signed in, and no response with a token.
 */
export const compressedAnswers: ReadonlySet<Operation> = new Set([
  'countFqdnStates',
  'findCertificates',
  'getExpiryTimeline',
  'getFqdn',
  'getInventory',
  'getOpenApi',
  'getOutlook',
  'getOwnPermissions',
  'getStats',
  'getUserPermissions',
  'listAllFqdns',
  'listCertificates',
  'listChanges',
  'listCsrs',
  'listFqdns',
  'listGroupMembers',
  'listIssuanceJobs',
  'listPermissionGroups',
  'listRenewals',
  'listServed',
  'listSpaces',
  'listTargets',
  'listUsers',
]);
