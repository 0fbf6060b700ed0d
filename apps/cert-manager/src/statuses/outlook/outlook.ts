/** How a provider issues: certificates by one call, or by orders. */
export type Pace = 'direct' | 'order';

/** How long a provider is taken to need for renewals. */
export interface ProviderRate {
  readonly providerId: string;
  /** For each renewal. */
  readonly renewalSeconds: number;
  /** For each renewal that its CA counts as a new order, as the certificate is not from it; 0 if nothing limits these. */
  readonly newOrderSeconds: number;
}

/** A CA that has refused no renewal for its rate limit makes one a second at least. */
const usualRenewalSeconds = 1;

/**
 * By orders: Let's Encrypt's limit of 300 new orders in 3 hours. It exempts renewals: orders that name the certificate
 * that they replace (RFC 9773 §5), and orders of the same names as an earlier certificate of it.
 */
const newOrderSeconds: Readonly<Record<Pace, number>> = { direct: 0, order: (3 * 3600) / 300 };

/** The rate of a provider; `measuredMs` is the time between two renewals that its CA has forced, if it has. */
export function rateOf(providerId: string, pace: Pace, measuredMs?: number): ProviderRate {
  const renewalSeconds = measuredMs === undefined ? usualRenewalSeconds : measuredMs / 1000;
  return { providerId, renewalSeconds, newOrderSeconds: newOrderSeconds[pace] };
}

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
  /** How many of these its CA counts as new orders. */
  readonly newIn24h: number;
}

/** Whole seconds for which a provider may be away; null without anything to renew. */
export function survivableSeconds(
  { firstTooLate }: Pick<ProviderPlan, 'firstTooLate'>,
  now: Date,
): number | null {
  if (firstTooLate === undefined) return null;
  return Math.max(0, Math.floor(firstTooLate - now.getTime() / 1000 - inServiceSeconds));
}

/** Seconds that what is due within a day takes. */
export function drainSeconds(
  { dueIn24h, newIn24h }: Pick<ProviderPlan, 'dueIn24h' | 'newIn24h'>,
  rate: Omit<ProviderRate, 'providerId'>,
): number {
  return Math.ceil(Math.max(dueIn24h * rate.renewalSeconds, newIn24h * rate.newOrderSeconds));
}
