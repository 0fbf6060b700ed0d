/** How a provider issues: certificates by one call, or by orders. */
export type Pace = 'direct' | 'order';

/**
 * Renewals a second that a provider is taken to make. By orders: Let's Encrypt's limit of 300 orders in 3 hours; by one
 * call: what a CA of one's own makes at least.
 */
export const renewalsPerSecond: Readonly<Record<Pace, number>> = { direct: 1, order: 300 / (3 * 3600) };

/** How long it takes at most until a renewed certificate is in service. */
export const inServiceSeconds = 86_400;

/** Plans with a provider. */
export interface ProviderPlan {
  /**
   * The least of the ends of its certificates, in seconds since 1970, each reduced by what the renewals up to it take;
   * undefined without any.
   */
  readonly firstTooLate: number | undefined;
  readonly dueIn24h: number;
}

/** Whole seconds for which a provider may be away; null without anything to renew. */
export function survivableSeconds({ firstTooLate }: ProviderPlan, now: Date): number | null {
  if (firstTooLate === undefined) return null;
  return Math.max(0, Math.floor(firstTooLate - now.getTime() / 1000 - inServiceSeconds));
}

/** Seconds that what is due within a day takes; by the rate that the CA allows, if it has refused orders for that. */
export function drainSeconds({ dueIn24h }: ProviderPlan, pace: Pace, perMinute?: number): number {
  return Math.ceil(dueIn24h / (perMinute === undefined ? renewalsPerSecond[pace] : perMinute / 60));
}
