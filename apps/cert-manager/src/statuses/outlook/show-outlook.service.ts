import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import { canOn, readableSpaces } from '../../access/permissions.js';
import type { DbDeps } from '../../db-deps.js';
import { type ShownPace, shownPace } from '../../providers/pace/provider-pace.js';
import { kindOf } from '../../providers/provider-kinds.js';
import { listProvidersById, type ProviderRow } from '../../providers/providers.repository.js';
import type { SpaceScope } from '../../spaces/spaces.repository.js';
import { drainSeconds, survivableSeconds } from './outlook.js';
import {
  type EndingRow,
  findFirstLoss,
  findLastIssuedAt,
  type ProviderRow as PlanRow,
  readProviderPlans,
} from './outlook.repository.js';
import type { RecentAnswers } from './recent-answers.store.js';

export interface OutlookDeps extends DbDeps {
  /** Outlooks of callers who may read all, good for a minute. */
  readonly outlooks: RecentAnswers;
  /** Timelines of theirs, good for ten seconds. */
  readonly timelines: RecentAnswers;
}

/** How long a provider may be away, and how much it has to do. */
export interface ProviderOutlook {
  readonly providerId: string;
  readonly survivableOutageSeconds: number | null;
  readonly firstLoss: EndingRow | undefined;
  readonly dueIn24h: number;
  readonly peakPerHour: number;
  readonly drainSeconds: number;
  readonly pace: ShownPace | undefined;
  readonly lastSuccessAt: Date | undefined;
}

export interface OutlookReport {
  readonly providers: readonly ProviderOutlook[];
  readonly computedAt: Date;
}

/** The outlook of the providers with whom renewals are planned in spaces that the caller may read. */
export function showOutlook(
  { db, clock, outlooks }: OutlookDeps,
  caller: Caller,
  { spaceId }: { readonly spaceId?: string | undefined },
): Promise<OutlookReport> {
  const scope = scopeOf(caller, spaceId);
  const read = () =>
    db.longRead(async (tx) => {
      const now = clock.now();
      const plans = await readProviderPlans(tx, scope, now);
      const ids = plans.map(({ providerId }) => providerId);
      const rows = new Map(
        (ids.length === 0 ? [] : await listProvidersById(tx, ids)).map((row) => [row.id, row]),
      );
      const providers: ProviderOutlook[] = [];
      for (const plan of plans) {
        const provider = rows.get(plan.providerId);
        if (provider !== undefined)
          providers.push(await outlookOfProvider(tx, { plan, provider, scope, now }));
      }
      return { providers, computedAt: now };
    });
  return sharedOrOwn(outlooks, caller, spaceId ?? '', read);
}

async function outlookOfProvider(
  tx: Tx,
  { plan, provider, scope, now }: { plan: PlanRow; provider: ProviderRow; scope: SpaceScope; now: Date },
): Promise<ProviderOutlook> {
  const { providerId, dueIn24h, peakPerHour } = plan;
  const { issuance: pace } = kindOf(provider);
  const shown = shownPace(provider.pace, now);
  const firstTooLate = pace === 'direct' ? plan.firstTooLateDirect : plan.firstTooLateOrder;
  return {
    providerId,
    survivableOutageSeconds: survivableSeconds({ firstTooLate, dueIn24h }, now),
    firstLoss: await findFirstLoss(tx, providerId, scope, now),
    dueIn24h,
    peakPerHour,
    drainSeconds: drainSeconds({ firstTooLate, dueIn24h }, pace, shown?.perMinute),
    pace: shown,
    lastSuccessAt: await findLastIssuedAt(tx, providerId, scope),
  };
}

export function sharedOrOwn<T>(
  recent: RecentAnswers,
  caller: Caller,
  key: string,
  read: () => Promise<T>,
): Promise<T> {
  return readableSpaces(caller) === 'all' ? recent.read(key, read) : read();
}

export function scopeOf(caller: Caller, spaceId: string | undefined): SpaceScope {
  if (spaceId === undefined) return readableSpaces(caller);
  return canOn(caller, spaceId, 'READ') ? [spaceId] : [];
}
