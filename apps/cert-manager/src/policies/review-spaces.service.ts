import { slicesOf, type Tx, yieldBetween } from '@certloop/db';
import { type Logger, oneAtATime } from '@certloop/server';
import { refusedBy } from '../csrs/issuance-refusals.service.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, findFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { listPolicyRefusals, listPolicyRefusalsAfter } from '../fqdns/policy/policy-refusals.repository.js';
import { findRules } from '../fqdns/policy/policy-rules.repository.js';
import type { PolicyVerdict } from '../fqdns/policy/policy-verdict.js';
import {
  advanceReview,
  claimReview,
  findDueReview,
  type SpacePolicyRow,
} from '../fqdns/policy/space-policies.repository.js';
import { listProviders } from '../providers/providers.repository.js';
import { lockSpacesForShare } from '../spaces/spaces.repository.js';
import { csrOf } from './find-newly-refused.service.js';
import { type ScannedFqdn, scanFqdns } from './policy-scan.repository.js';
import { reviewFqdn } from './review-fqdn.service.js';

export interface ReviewDeps extends DbDeps {
  readonly logger: Logger;
  readonly emit: PolicyEvents;
  /** Triggers a run of the renewal queue without waiting for it. */
  readonly triggerRenewals: () => void;
}

/** Events of policies; `changes/reactions.service.ts` lists what follows each of them. */
export interface PolicyEvents {
  /** The policy of its space forbids the renewal of the FQDN, which is locked, or allows it again. */
  policyChanged(tx: Tx, event: PolicyVerdict & { readonly fqdn: FqdnRow }): Promise<void>;
}

/** Reviews FQDNs after changes of policies; in all processes together, only one works on a space at a time. */
export interface PolicyReview {
  /** Reviews the spaces whose policies were changed. Calls during a run share the one that follows it. */
  run(): Promise<void>;
  /** Reviews all rejected FQDNs again, in case a change was missed. */
  sweep(): Promise<void>;
  /** Starts no further review; resolves when running reviews have ended. */
  stop(): Promise<void>;
}

// a CSR and its description may have 200 KB and thousands of names: other work runs after each FQDN
const slice = 25;
// FQDNs with a changed verdict: a dozen statements for each
const changedAtOnce = 10;
// after this time, other processes take over the review of a dead one
const leaseMs = 60_000;

export function createPolicyReview(deps: ReviewDeps): PolicyReview {
  let isStopped = false;
  const runs = oneAtATime(async () => {
    for await (const _round of yieldBetween()) {
      const due = isStopped ? undefined : await claimDue(deps);
      if (due === undefined) return;
      await reviewSpace(deps, due, () => isStopped);
    }
  });
  return {
    run: runs.run,
    sweep: () => sweepRefused(deps, () => isStopped),
    stop: async () => {
      isStopped = true;
      await runs.idle();
    },
  };
}

const leaseOf = (now: Date) => new Date(now.getTime() + leaseMs);

/** Claims a policy whose review is due. */
async function claimDue({ db, clock }: ReviewDeps): Promise<SpacePolicyRow | undefined> {
  for (;;) {
    const now = clock.now();
    const due = await db.read((tx) => findDueReview(tx, now));
    if (due === undefined) return undefined;
    const reviewDueAt = leaseOf(now);
    if (await db.transaction((tx) => claimReview(tx, due, reviewDueAt))) return { ...due, reviewDueAt };
  }
}

/** Continues the review of the FQDNs of a space; ends early if the policy changes again. */
async function reviewSpace(
  deps: ReviewDeps,
  policy: SpacePolicyRow,
  isStopped: () => boolean,
): Promise<void> {
  const { db, clock, logger } = deps;
  const { spaceId } = policy;
  let allowed = 0;
  let lease = policy.reviewDueAt;
  const rules = await db.read((tx) => findRules(tx, spaceId));
  let last = policy.reviewedTo ?? '';
  for await (const _round of yieldBetween()) {
    // the next process goes on at once where this one stops
    if (isStopped()) return releaseReview(deps, { ...policy, reviewDueAt: lease });
    const { rows, reasons, providers } = await db.read((tx) => readSlice(tx, policy, last));
    const others: ScannedFqdn[] = [];
    for await (const row of yieldBetween(rows)) {
      const provider = providers.get(row.issuedBy ?? row.providerId ?? '');
      const reason = refusedBy(rules, { fqdn: row, csr: csrOf(row), provider })?.message;
      if (reason !== reasons.get(row.id)) others.push(row);
    }
    allowed += await reviewAll(deps, others);
    const isEnd = rows.length < slice;
    last = rows.at(-1)?.fqdn ?? last;
    const next = isEnd ? null : last;
    lease = isEnd ? null : leaseOf(clock.now());
    const step = { reviewedTo: next, reviewDueAt: lease };
    if (!(await db.transaction((tx) => advanceReview(tx, policy, step)))) return;
    if (isEnd) break;
  }
  if (allowed > 0) deps.triggerRenewals();
  logger.info({ spaceId, allowed }, 'policy.reviewed');
}

async function releaseReview({ db, clock }: ReviewDeps, policy: SpacePolicyRow): Promise<void> {
  await db.transaction((tx) => claimReview(tx, policy, clock.now()));
}

/** FQDNs of the space with what their verdicts depend on: why each was refused so far, and the providers. */
async function readSlice(tx: Tx, { spaceId }: SpacePolicyRow, last: string) {
  const rows = await scanFqdns(tx, { spaceId, last, limit: slice });
  const refusals = await listPolicyRefusals(
    tx,
    rows.map(({ id }) => id),
  );
  const reasons = new Map(refusals.map(({ fqdnId, reason }) => [fqdnId, reason]));
  const providers = new Map((await listProviders(tx)).map((provider) => [provider.id, provider]));
  return { rows, reasons, providers };
}

type ReviewedFqdn = Pick<ScannedFqdn, 'id' | 'spaceId'>;

/** Reviews the FQDNs, a few per transaction; returns the number that are allowed again. */
async function reviewAll({ db, clock, emit }: ReviewDeps, fqdns: readonly ReviewedFqdn[]): Promise<number> {
  let allowed = 0;
  for await (const some of yieldBetween(slicesOf(fqdns, changedAtOnce))) {
    allowed += await db.transaction(async (tx) => {
      // the space before its FQDNs: all transactions lock in this order
      await lockSpacesForShare(tx, [...new Set(some.map(({ spaceId }) => spaceId))]);
      let count = 0;
      for (const place of some) {
        // it may have gone in the meantime
        if ((await findFqdn(tx, place.id)) === undefined) continue;
        const fqdn = await lockFqdn(tx, place.spaceId, place.id);
        const verdict = await reviewFqdn(tx, fqdn, clock.now());
        if (verdict === undefined) continue;
        await emit.policyChanged(tx, { fqdn, ...verdict });
        if (verdict.refusal === undefined) count += 1;
      }
      return count;
    });
  }
  return allowed;
}

async function sweepRefused(deps: ReviewDeps, isStopped: () => boolean): Promise<void> {
  let allowed = 0;
  let last = '';
  for await (const _round of yieldBetween()) {
    if (isStopped()) break;
    const rows = await deps.db.read((tx) => listPolicyRefusalsAfter(tx, last, slice));
    const places = rows.map(({ fqdnId: id, spaceId }) => ({ id, spaceId }));
    allowed += await reviewAll(deps, places);
    if (rows.length < slice) break;
    last = rows.at(-1)?.fqdnId ?? '';
  }
  if (allowed > 0) deps.triggerRenewals();
}
