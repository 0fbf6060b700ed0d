import type { BreakCode } from '@certloop/contracts';
import type { CalendarRule } from '@certloop/crypto';
import { lifetimeDays, uncertifiedKind } from '../judging/public-validity.js';
import { renewalShare } from '../renewals/renewal-policy.js';
import { type InventoryName, subjectOfIssuer } from './inventory-name.js';
import { isJudged, letsEncryptRule, nextLifetime, type RulesOfDay } from './rules-of-day.js';

/** A rule that a name breaks, and in which way. */
export interface Break {
  readonly code: BreakCode;
  readonly rule: CalendarRule;
}

const dayMs = 86_400_000;
/** Time that tries to renew need before the end. */
export const minLeadDays = 3;

/** The rules of a day that a name breaks. */
export function breaksOf(name: InventoryName, day: RulesOfDay): Break[] {
  return findings.flatMap(([code, find]) => {
    const rule = find(name, day);
    return rule === undefined ? [] : [{ code, rule }];
  });
}

type FindBreak = (name: InventoryName, day: RulesOfDay) => CalendarRule | undefined;

const findings: readonly (readonly [BreakCode, FindBreak])[] = [
  ['lifetime_too_long', (name, day) => nextLifetime(name, day).rule],
  [
    'lead_time_too_long',
    (name, day) => {
      const { days, rule } = nextLifetime(name, day);
      return leadDays(lifetimeDays(name), name.renewAfterPermille) >= days ? rule : undefined;
    },
  ],
  [
    'lead_time_too_short',
    (name, day) => {
      const { days, rule } = nextLifetime(name, day);
      const isShort =
        name.renewAfterPermille !== null && leadDays(days, name.renewAfterPermille) < minLeadDays;
      return isShort ? rule : undefined;
    },
  ],
  [
    'client_auth',
    (name, day) =>
      name.isForClients && isJudged(name) ? day.noClientAuth(subjectOfIssuer(name.issuer)) : undefined,
  ],
  [
    'name_not_certified',
    ({ fqdn, isPublic, provider }, day) => {
      const kind = (provider?.isPublic ?? isPublic) ? uncertifiedKind(fqdn) : undefined;
      return kind === undefined ? undefined : day.noNames(kind);
    },
  ],
  [
    'no_renewal_information',
    ({ isPublic, provider }, day) =>
      isPublic && provider?.isPublic === true && provider.givesAdvice === false ? day.lifetime : undefined,
  ],
  [
    'no_profile',
    (name, day) => {
      const { provider, isPublic } = name;
      if (!isPublic || provider?.isPublic !== true || provider.profile !== undefined) return undefined;
      return letsEncryptRule(name, day);
    },
  ],
];

/** Days before the end at which a certificate of this lifetime is renewed. */
function leadDays(days: number, permille: number | null): number {
  return days * (1 - renewalShare(days * dayMs, permille));
}
