import { setImmediate as turn } from 'node:timers/promises';
import type { Database, Tx } from '@certloop/db';
import { type Clock, type Logger, oneAtATime } from '@certloop/server';
import { refusedBy } from '../csrs/judge-issuance.service.js';
import { findFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { rulesOf } from '../fqdns/issuance-policy.js';
import { listPolicyRefusals, listPolicyRefusalsAfter } from '../fqdns/policy-refusals.repository.js';
import {
  advanceReview,
  claimReview,
  findDueReview,
  type SpacePolicyRow,
} from '../fqdns/space-policies.repository.js';
import { listProviders } from '../providers/providers.repository.js';
import { lockSpacesForShare } from '../spaces/spaces.repository.js';
import type { WatchEvents } from '../watch/watch-events.service.js';
import { csrOf } from './find-newly-refused.service.js';
import { type ScannedFqdn, scanFqdns } from './policy-scan.repository.js';
import { reviewFqdn } from './review-fqdn.service.js';

export interface ReviewDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly watch: Pick<WatchEvents, 'onForbidden' | 'onAllowedAgain'>;
  /** Begins a run of the renewal queue, and does not wait for it. */
  readonly triggerRenewals: () => void;
}

/** Brings FQDNs in line with changed policies; of several, in one process or many, each space is one's at a time. */
export interface PolicyReview {
  /** Reviews the spaces whose policies were changed. Calls during a run share the one that follows it. */
  run(): Promise<void>;
  /** Reviews one FQDN, which has got a certificate although it was refused. */
  one(fqdn: Place): Promise<void>;
  /** Reviews the FQDNs that are refused, as they may have changed in a way that went unnoticed. */
  sweep(): Promise<void>;
  /** Begins nothing more; resolves when what is under way has ended. */
  stop(): Promise<void>;
}

// each slice is read and judged in a few milliseconds, and others get their turn after it
const slice = 100;
// whose verdict has changed: a dozen statements for each
const changedAtOnce = 10;
// a process that died leaves its review to others after this time
const leaseMs = 60_000;

export function createPolicyReview(deps: ReviewDeps): PolicyReview {
  let isStopped = false;
  const runs = oneAtATime(async () => {
    for (;;) {
      const due = isStopped ? undefined : await claimDue(deps);
      if (due === undefined) return;
      await reviewSpace(deps, due, () => isStopped);
    }
  });
  return {
    run: runs.run,
    one: async (fqdn) => void (await reviewAll(deps, [fqdn])),
    sweep: () => sweepRefused(deps, () => isStopped),
    stop: async () => {
      isStopped = true;
      await runs.idle();
    },
  };
}

const leaseOf = (now: Date) => new Date(now.getTime() + leaseMs);

/** A policy whose review is due, and now this process's. */
async function claimDue({ db, clock }: ReviewDeps): Promise<SpacePolicyRow | undefined> {
  for (;;) {
    const now = clock.now();
    const due = await db.read((tx) => findDueReview(tx, now));
    if (due === undefined) return undefined;
    const reviewDueAt = leaseOf(now);
    if (await db.transaction((tx) => claimReview(tx, due, reviewDueAt))) return { ...due, reviewDueAt };
  }
}

/** Reviews the FQDNs of a space after those that are done; ends early when the policy is changed again. */
async function reviewSpace(
  deps: ReviewDeps,
  policy: SpacePolicyRow,
  isStopped: () => boolean,
): Promise<void> {
  const { db, clock, logger } = deps;
  const { spaceId } = policy;
  let allowed = 0;
  for (let last = policy.reviewedTo ?? ''; !isStopped(); ) {
    const { rows, others } = await db.read((tx) => readSlice(tx, policy, last));
    allowed += await reviewAll(deps, others);
    const isEnd = rows.length < slice;
    last = rows.at(-1)?.fqdn ?? last;
    const next = isEnd ? null : last;
    const reviewDueAt = isEnd ? null : leaseOf(clock.now());
    if (!(await db.transaction((tx) => advanceReview(tx, policy, { reviewedTo: next, reviewDueAt })))) return;
    if (isEnd) break;
    await turn();
  }
  if (allowed > 0) deps.triggerRenewals();
  logger.info({ spaceId, allowed }, 'policy.reviewed');
}

/** FQDNs of the space, and those of them whose verdict has perhaps changed. */
async function readSlice(tx: Tx, policy: SpacePolicyRow, last: string) {
  const rules = rulesOf(policy);
  const rows = await scanFqdns(tx, { spaceId: policy.spaceId, last, limit: slice });
  if (rows.length === 0) return { rows, others: [] };
  const refusals = await listPolicyRefusals(
    tx,
    rows.map(({ id }) => id),
  );
  const reasons = new Map(refusals.map(({ fqdnId, reason }) => [fqdnId, reason]));
  const providers = new Map((await listProviders(tx)).map((provider) => [provider.id, provider]));
  const reasonOf = (row: ScannedFqdn) => {
    const provider = providers.get(row.issuedBy ?? row.providerId ?? '');
    return refusedBy(rules, { fqdn: row, csr: csrOf(row), provider })?.message;
  };
  return { rows, others: rows.filter((row) => reasonOf(row) !== reasons.get(row.id)) };
}

type Place = Pick<ScannedFqdn, 'id' | 'spaceId'>;

/** Reviews the FQDNs, a few by each transaction; how many are allowed again. */
async function reviewAll({ db, clock, watch }: ReviewDeps, fqdns: readonly Place[]): Promise<number> {
  let allowed = 0;
  for (let start = 0; start < fqdns.length; start += changedAtOnce) {
    const some = fqdns.slice(start, start + changedAtOnce);
    allowed += await db.transaction(async (tx) => {
      // the space before its FQDNs, as everybody holds them
      await lockSpacesForShare(tx, [...new Set(some.map(({ spaceId }) => spaceId))]);
      let count = 0;
      for (const place of some) {
        // it may have gone meanwhile
        if ((await findFqdn(tx, place.id)) === undefined) continue;
        const fqdn = await lockFqdn(tx, place.spaceId, place.id);
        if ((await reviewFqdn(tx, watch, fqdn, clock.now())) === 'allowed') count += 1;
      }
      return count;
    });
    await turn();
  }
  return allowed;
}

async function sweepRefused(deps: ReviewDeps, isStopped: () => boolean): Promise<void> {
  let allowed = 0;
  for (let last = ''; !isStopped(); ) {
    const rows = await deps.db.read((tx) => listPolicyRefusalsAfter(tx, last, slice));
    const places = rows.map(({ fqdnId: id, spaceId }) => ({ id, spaceId }));
    allowed += await reviewAll(deps, places);
    if (rows.length < slice) break;
    last = rows.at(-1)?.fqdnId ?? '';
  }
  if (allowed > 0) deps.triggerRenewals();
}
