import type { BreakCode, HandworkCode } from '@certloop/contracts';
import type { CalendarRule } from '@certloop/crypto';
import { lifetimeDays } from '../judging/public-validity.js';
import { renewalShare } from '../renewals/renewal-policy.js';
import { breakAction, handworkAction } from './break-actions.js';
import { type Break, breaksOf } from './breaks.js';
import type { InventoryName } from './inventory-name.js';
import { nextLifetime, type RulesOfDay, rulesOfDay } from './rules-of-day.js';

/** A name that a rule affects. */
export type NameRef = Pick<InventoryName, 'fqdnId' | 'spaceId' | 'fqdn'>;

/** Names that have something in common. */
export interface NameGroup {
  readonly count: number;
  readonly names: readonly NameRef[];
  readonly action: string;
}

export interface Readiness {
  readonly certificates: { readonly total: number; readonly public: number };
  readonly breaks: readonly (NameGroup & { readonly code: BreakCode; readonly rule: string })[];
  readonly handwork: Readonly<Work> & {
    readonly reasons: readonly (NameGroup & { readonly code: HandworkCode })[];
  };
  readonly renewedElsewhere: number;
  readonly capacity: {
    readonly names: number;
    readonly renewalsPerDay: number;
    readonly renewalsPerDayToday: number;
  };
}

interface Work {
  names: number;
  minutesPerRenewal: number;
  renewalsPerMonth: number;
  hoursPerMonth: number;
  hoursPerMonthToday: number;
}

/** A review of names by the rules of a day, which may be fed in slices. */
export interface Review {
  add(name: InventoryName): void;
  result(): Readiness;
}

/** Names of each group that are shown. */
const maxShown = 100;
/** A person takes so long for a renewal: order, proof, installation, test. */
export const minutesPerRenewal = 30;
const daysPerMonth = 365.25 / 12;

/** Judges all names at once by the rules of the calendar that hold on a day. */
export function readinessOf(
  names: Iterable<InventoryName>,
  calendar: readonly CalendarRule[],
  on: Date,
): Readiness {
  const review = createReview(calendar, on);
  for (const name of names) review.add(name);
  return review.result();
}

export function createReview(calendar: readonly CalendarRule[], on: Date): Review {
  const day = rulesOfDay(calendar, on);
  const broken = new Map<string, Group & { code: BreakCode; rule: string }>();
  const byHand = new Map<HandworkCode, Group & { code: HandworkCode }>();
  const totals = emptyTotals();
  return {
    add: (name) => {
      totals.certificates += 1;
      if (name.isPublic) totals.public += 1;
      for (const one of breaksOf(name, day)) addBreak(broken, one, name, day);
      countRenewals(totals, byHand, name, day);
    },
    result: () => ({
      certificates: { total: totals.certificates, public: totals.public },
      breaks: [...broken.values()].toSorted(byCount),
      handwork: {
        names: totals.byHand,
        minutesPerRenewal,
        renewalsPerMonth: rounded(totals.byHandPerDay * daysPerMonth),
        hoursPerMonth: hoursPerMonth(totals.byHandPerDay),
        hoursPerMonthToday: hoursPerMonth(totals.byHandPerDayToday),
        reasons: [...byHand.values()].toSorted(byCount),
      },
      renewedElsewhere: totals.elsewhere,
      capacity: {
        names: totals.automatic,
        renewalsPerDay: rounded(totals.perDay),
        renewalsPerDayToday: rounded(totals.perDayToday),
      },
    }),
  };
}

interface Group {
  count: number;
  names: NameRef[];
  action: string;
}

function emptyTotals() {
  return {
    certificates: 0,
    public: 0,
    byHand: 0,
    byHandPerDay: 0,
    byHandPerDayToday: 0,
    elsewhere: 0,
    automatic: 0,
    perDay: 0,
    perDayToday: 0,
  };
}

function addBreak(
  groups: Map<string, Group & { code: BreakCode; rule: string }>,
  { code, rule }: Break,
  name: InventoryName,
  day: RulesOfDay,
): void {
  const key = `${code} ${rule.code}`;
  let group = groups.get(key);
  if (group === undefined) {
    group = { code, rule: rule.code, count: 0, names: [], action: breakAction(code, rule, day) };
    groups.set(key, group);
  }
  addName(group, name);
}

function addName(group: Group, { fqdnId, spaceId, fqdn }: InventoryName): void {
  group.count += 1;
  if (group.names.length < maxShown) group.names.push({ fqdnId, spaceId, fqdn });
}

/** Counts who renews the name, and how often, with the lifetime of today and that of the next certificate. */
function countRenewals(
  totals: ReturnType<typeof emptyTotals>,
  groups: Map<HandworkCode, Group & { code: HandworkCode }>,
  name: InventoryName,
  day: RulesOfDay,
): void {
  if (isRenewedElsewhere(name)) {
    totals.elsewhere += 1;
    return;
  }
  const days = lifetimeDays(name);
  const next = nextLifetime(name, day).days;
  const code = handworkOf(name);
  if (code === undefined) {
    totals.automatic += 1;
    totals.perDay += renewalsPerDay(next, name.renewAfterPermille);
    totals.perDayToday += renewalsPerDay(days, name.renewAfterPermille);
    return;
  }
  totals.byHand += 1;
  totals.byHandPerDay += renewalsPerDay(next, null);
  totals.byHandPerDayToday += renewalsPerDay(days, null);
  const group = groups.get(code) ?? { code, count: 0, names: [], action: handworkAction(code) };
  groups.set(code, group);
  addName(group, name);
}

/** Renewals of a name a day: one for each share of a lifetime after which it is renewed. */
function renewalsPerDay(days: number, permille: number | null): number {
  return 1 / (days * renewalShare(days * 86_400_000, permille));
}

/** Whether an ACME client or a watched server brings the next certificate. */
function isRenewedElsewhere({ renewedBy }: InventoryName): boolean {
  return renewedBy === 'acme_client' || renewedBy === 'elsewhere';
}

const handworkOfOutlook: Readonly<Partial<Record<InventoryName['outlook'], HandworkCode>>> = {
  no_csr: 'no_csr',
  no_provider: 'no_provider',
  switched_off: 'renewal_off',
};

/** Why a person must act at each renewal of the name; undefined if none must. */
export function handworkOf({ outlook, provider }: InventoryName): HandworkCode | undefined {
  const missing = handworkOfOutlook[outlook];
  if (missing === 'no_csr' || missing === 'no_provider') return missing;
  return provider?.isManual === true ? 'manual_proof' : missing;
}

function hoursPerMonth(perDay: number): number {
  return rounded((perDay * daysPerMonth * minutesPerRenewal) / 60);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function byCount(one: Group & { code: string }, other: Group & { code: string }): number {
  return other.count - one.count || (one.code < other.code ? -1 : 1);
}
