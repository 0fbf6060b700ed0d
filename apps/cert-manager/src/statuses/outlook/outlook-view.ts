import type { ExpiryTimeline, Outlook } from '@certloop/contracts';
import type { ShownPace } from '../../providers/pace/provider-pace.js';

interface ShownName {
  readonly id: string;
  readonly spaceId: string;
  readonly fqdn: string;
  readonly expiresAt: Date;
}

/** How long a provider may be away, and how much it has to do. */
export interface ProviderOutlook {
  readonly providerId: string;
  readonly survivableOutageSeconds: number | null;
  readonly firstLoss: ShownName | undefined;
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

/** How long providers may be away, as the API shows it. */
export function outlookView({ providers, computedAt }: OutlookReport): Outlook {
  return {
    providers: providers.map((one) => ({
      providerId: one.providerId,
      survivableOutageSeconds: one.survivableOutageSeconds,
      ...(one.firstLoss !== undefined && { firstLoss: nameView(one.firstLoss) }),
      dueIn24h: one.dueIn24h,
      peakPerHour: one.peakPerHour,
      drainSeconds: one.drainSeconds,
      ...(one.pace !== undefined && { pace: one.pace }),
      ...(one.lastSuccessAt !== undefined && { lastSuccessAt: one.lastSuccessAt.toISOString() }),
    })),
    computedAt: computedAt.toISOString(),
  };
}

/** How many certificates end in each bucket, by what happens to them. */
export interface TimelineReport {
  readonly buckets: readonly { start: Date; willRenew: number; needsHand: number; failing: number }[];
  readonly overdue: number;
  readonly later: number;
  /** Where they are few. */
  readonly names: readonly ShownName[] | undefined;
}

/** When certificates end, as the API shows it. */
export function timelineView({ buckets, overdue, later, names }: TimelineReport): ExpiryTimeline {
  return {
    buckets: buckets.map(({ start, willRenew, needsHand, failing }) => ({
      start: start.toISOString(),
      willRenew,
      needsHand,
      failing,
    })),
    overdue,
    later,
    ...(names !== undefined && {
      names: names.map(nameView),
    }),
  };
}

function nameView({ id, spaceId, fqdn, expiresAt }: ShownName) {
  return { fqdnId: id, spaceId, fqdn, expiresAt: expiresAt.toISOString() };
}
