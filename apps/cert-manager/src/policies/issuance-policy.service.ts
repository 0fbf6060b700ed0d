import { randomUUID } from 'node:crypto';
import {
  Conflict,
  InvalidInput,
  type IssuancePolicy,
  type IssuancePolicyChange,
  type ShownIssuancePolicy,
} from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireAdmin, requireLevel, spaceNotFound } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { findDefaultPolicy } from '../fqdns/policy/default-policy.repository.js';
import { rulesOf } from '../fqdns/policy/issuance-policy.js';
import { changeDetails } from '../fqdns/policy/policy-change.js';
import { normalPolicy, type SentPolicy } from '../fqdns/policy/policy-input.js';
import { findSpacePolicy, storeSpacePolicy } from '../fqdns/policy/space-policies.repository.js';
import { listProviders, lockProvidersForShare } from '../providers/providers.repository.js';
import { lockSpace, spaceExists } from '../spaces/spaces.repository.js';
import { spaceAudit } from '../spaces/spaces.service.js';
import { findNewlyRefused, type RefusedFqdns } from './find-newly-refused.service.js';

export interface PolicyDeps extends DbDeps {
  /** Starts the review of FQDNs in spaces whose policy was changed, without waiting for it. */
  readonly beginReview: () => void;
}

const unlimited: IssuancePolicy = { allowedNames: null, providerIds: null };

/** The policy of a space, or the default one, or one without limits. Throws NotFound. */
export async function getIssuancePolicy(
  { db }: Pick<PolicyDeps, 'db'>,
  caller: Caller,
  spaceId: string,
): Promise<ShownIssuancePolicy> {
  requireLevel(caller, spaceId, 'READ');
  const { policy, isDefault } = await db.read((tx) => readCurrent(tx, spaceId));
  return { ...policy, ...(isDefault && { isDefault }) };
}

export interface NewPolicy extends SentPolicy {
  readonly spaceId: string;
  readonly isDryRun: boolean;
  /** Whether to save the policy even if it refuses FQDNs that the current one allows. */
  readonly isConfirmed: boolean;
}

/**
 * Sets the policy of a space, and starts the review of its FQDNs; a dry run only returns what would be refused. Throws
 * NotFound, Forbidden, InvalidInput for malformed names and ranges and for unknown providers, and Conflict if FQDNs
 * would be refused without confirmation, or if the policy was changed in the meantime.
 */
export async function setIssuancePolicy(
  { db, clock, beginReview }: PolicyDeps,
  caller: Caller,
  { spaceId, isDryRun, isConfirmed, ...sent }: NewPolicy,
): Promise<IssuancePolicyChange> {
  requireLevel(caller, spaceId, 'READ');
  requireAdmin(caller);
  const policy = normalPolicy(sent);
  const current = await db.read(async (tx) => {
    const found = await readCurrent(tx, spaceId);
    requireProviders(
      policy,
      (await listProviders(tx)).map(({ id }) => id),
    );
    return found;
  });
  const isRemoved = policy.allowedNames === null && policy.providerIds === null;
  const after = isRemoved ? (current.fallback ?? policy) : policy;
  const rules = { before: rulesOf(current.policy), after: rulesOf(after) };
  const newlyRefused = await findNewlyRefused(db, spaceId, rules);
  const answer = { ...policy, newlyRefused: { ...newlyRefused, items: [...newlyRefused.items] } };
  if (isDryRun) return { ...answer, saved: false };
  if (newlyRefused.count > 0 && !isConfirmed) throw unconfirmed(newlyRefused);
  await db.transaction(async (tx) => {
    if ((await lockSpace(tx, spaceId)) === undefined) throw spaceNotFound();
    const stored = await findSpacePolicy(tx, spaceId);
    if (stored?.revision !== current.revision) throw changedMeanwhile();
    requireProviders(policy, await lockProvidersForShare(tx, policy.providerIds ?? []));
    const now = clock.now();
    const review = { reviewedTo: '', reviewDueAt: now };
    await storeSpacePolicy(tx, { spaceId, revision: randomUUID(), ...policy, ...review });
    const details = { ...changeDetails(current.policy, policy), newlyRefused: newlyRefused.count };
    await recordAudit(tx, caller, spaceAudit('space.policy', spaceId, details), now);
  });
  beginReview();
  return { ...answer, saved: true };
}

/** The policy that applies, the revision of the space's own row, and the default one. Throws NotFound when there is no such space. */
async function readCurrent(tx: Tx, spaceId: string) {
  const row = await findSpacePolicy(tx, spaceId);
  if (row === undefined && !(await spaceExists(tx, spaceId))) throw spaceNotFound();
  const fallback = await findDefaultPolicy(tx);
  const isOwn = row !== undefined && (row.allowedNames !== null || row.providerIds !== null);
  const { allowedNames, providerIds } = (isOwn ? row : fallback) ?? unlimited;
  const isDefault = !isOwn && fallback !== undefined;
  return { policy: { allowedNames, providerIds }, isDefault, fallback, revision: row?.revision };
}

/** Throws InvalidInput that names each id of no provider. */
function requireProviders({ providerIds }: IssuancePolicy, known: readonly string[]): void {
  const fields = (providerIds ?? []).flatMap((id, index) =>
    known.includes(id) ? [] : [{ path: `providerIds[${index}]`, code: 'unknown_provider', message: unknown }],
  );
  const [first] = fields;
  if (first === undefined) return;
  throw new InvalidInput(`${first.path}: ${first.message}`, { code: 'unknown_provider', fields });
}

const unknown = 'names no provider; GET /providers lists them';

const maxNamed = 5;

function unconfirmed({ count, items }: RefusedFqdns): Conflict {
  const named = items.slice(0, maxNamed).map(({ fqdn, message }) => `${fqdn} (${message})`);
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  return new Conflict(
    `${count} FQDNs that are allowed today would be refused: ${named.join(', ')}${more}; send confirmed: true to save the policy all the same, or dryRun=true to list them`,
    {
      code: 'policy_not_confirmed',
      title: 'FQDNs would be refused',
      fields: items.map(({ fqdn, code, message }) => ({ path: fqdn, code, message })),
    },
  );
}

function changedMeanwhile(): Conflict {
  return new Conflict(
    'the policy of the space was changed after you read it: read it again before you set it',
    {
      code: 'policy_changed',
      title: 'Policy changed meanwhile',
    },
  );
}
