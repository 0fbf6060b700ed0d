import type { certManagerContract, QueryOf } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { readableSpaces } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { forcedIntervalMs, shownPace } from '../../providers/pace/provider-pace.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { listProviders, type ProviderRow } from '../../providers/providers.repository.js';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { bucketAt, type Timeline, timelineOf } from './expiry-timeline.js';
import { countBeside, listEnding, readDays } from './expiry-timeline.repository.js';
import { drainSeconds, type ProviderRate, rateOf, survivableSeconds } from './outlook.js';
import {
  findFirstLoss,
  findLastIssuedAt,
  type ProviderRow as PlanRow,
  readProviderPlans,
} from './outlook.repository.js';
import type { OutlookReport, ProviderOutlook, TimelineReport } from './outlook-view.js';
import { type RecentAnswers, sharedOrOwn } from './recent-answers.store.js';

export interface OutlookDeps extends DbDeps {
  /** Outlooks of callers who may read all, good for a minute. */
  readonly outlooks: RecentAnswers;
  /** Timelines of theirs, good for ten seconds. */
  readonly timelines: RecentAnswers;
}

/** The outlook of the providers with whom renewals are planned in spaces that the caller may read. */
export function showOutlook(
  { db, clock, outlooks }: OutlookDeps,
  caller: Caller,
  { spaceId }: { readonly spaceId?: string | undefined },
): Promise<OutlookReport> {
  const scope = readableSpaces(caller, spaceId);
  const read = () =>
    db.longRead(async (tx) => {
      const now = clock.now();
      const rows = new Map((await listProviders(tx)).map((row) => [row.id, row]));
      const rates = new Map([...rows].map(([id, row]) => [id, providerRate(row, now)]));
      const plans = await readProviderPlans(tx, { scope, now, rates: [...rates.values()] });
      const providers: ProviderOutlook[] = [];
      for (const plan of plans) {
        const provider = rows.get(plan.providerId);
        const rate = rates.get(plan.providerId);
        if (provider !== undefined && rate !== undefined)
          providers.push(await outlookOfProvider(tx, { plan, provider, rate, scope, now }));
      }
      return { providers, computedAt: now };
    });
  return sharedOrOwn(outlooks, caller, spaceId ?? '', read);
}

function providerRate(provider: ProviderRow, now: Date): ProviderRate {
  return rateOf(provider.id, kindOf(provider).issuance, forcedIntervalMs(provider.pace, now));
}

interface ProviderFacts {
  readonly plan: PlanRow;
  readonly provider: ProviderRow;
  readonly rate: ProviderRate;
  readonly scope: SpaceScope;
  readonly now: Date;
}

async function outlookOfProvider(
  tx: Tx,
  { plan, provider, rate, scope, now }: ProviderFacts,
): Promise<ProviderOutlook> {
  const { providerId, dueIn24h, peakPerHour } = plan;
  return {
    providerId,
    survivableOutageSeconds: survivableSeconds(plan, now),
    firstLoss: await findFirstLoss(tx, providerId, scope, now),
    dueIn24h,
    peakPerHour,
    drainSeconds: drainSeconds(plan, rate),
    pace: shownPace(provider.pace, now),
    lastSuccessAt: await findLastIssuedAt(tx, providerId, scope),
  };
}

const maxNames = 12;

/** The ends of the newest certificates in spaces that the caller may read. Throws InvalidInput for too many buckets. */
export function showExpiryTimeline(
  { db, clock, timelines }: OutlookDeps,
  caller: Caller,
  { bucket = 'week', from, to, spaceId }: QueryOf<typeof certManagerContract.getExpiryTimeline>,
): Promise<TimelineReport> {
  const scope = readableSpaces(caller, spaceId);
  const moment = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
  const timeline = timelineOf({ bucket, from: moment(from), to: moment(to) }, clock.now());
  const read = () =>
    db.longRead(async (tx) => {
      const days = await readDays(tx, scope, timeline);
      const names = await listEnding(tx, scope, timeline, maxNames + 1);
      return {
        buckets: bucketsOf(timeline, days),
        ...(await countBeside(tx, scope, timeline)),
        names: names.length <= maxNames ? names : undefined,
      };
    });
  const key = `${timeline.start.getTime()} ${timeline.end.getTime()} ${bucket} ${spaceId ?? ''}`;
  return sharedOrOwn(timelines, caller, key, read);
}

function bucketsOf(timeline: Timeline, days: Awaited<ReturnType<typeof readDays>>) {
  const buckets = Array.from({ length: timeline.count }, (_, index) => ({
    start: new Date(timeline.start.getTime() + index * timeline.lengthMs),
    willRenew: 0,
    needsHand: 0,
    failing: 0,
  }));
  for (const { day, willRenew, needsHand, failing } of days) {
    const bucket = buckets[bucketAt(timeline, new Date(`${day}T00:00:00Z`)) ?? -1];
    if (bucket === undefined) continue;
    bucket.willRenew += willRenew;
    bucket.needsHand += needsHand;
    bucket.failing += failing;
  }
  return buckets;
}
