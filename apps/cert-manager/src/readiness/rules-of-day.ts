import {
  type CalendarRule,
  type LifetimeRule,
  lastRule,
  publicLifetimeRule,
  type RuleSubject,
  rulesInForce,
} from '@certloop/crypto';
import { lifetimeDays, type UncertifiedKind } from '../judging/public-validity.js';
import { type InventoryName, subjectOfIssuer } from './inventory-name.js';

/** The rules of the calendar that hold on a day, by what they are asked for. */
export interface RulesOfDay {
  /** The lifetime of all public certificates. */
  readonly lifetime: LifetimeRule | undefined;
  /** The lifetime of a profile of Let's Encrypt. */
  profileLifetime(profile: string): ProfileRule | undefined;
  /** The first rule that forbids clientAuth to the certificates of a CA. */
  noClientAuth(subject: RuleSubject | undefined): CalendarRule | undefined;
  noNames(kind: UncertifiedKind): CalendarRule | undefined;
}

export type ProfileRule = CalendarRule & { readonly effect: { readonly kind: 'profile_days' } };

/** Profile of Let's Encrypt for orders that name none. */
const usualProfile = 'classic';

export function rulesOfDay(calendar: readonly CalendarRule[], on: Date): RulesOfDay {
  const rules = rulesInForce(calendar, on);
  return {
    lifetime: publicLifetimeRule(calendar, on),
    profileLifetime: remembered((profile: string) =>
      lastRule(
        calendar,
        on,
        (rule): rule is ProfileRule => rule.effect.kind === 'profile_days' && rule.effect.profile === profile,
      ),
    ),
    noClientAuth: remembered((subject: RuleSubject | undefined) => {
      const forbidding = rules.filter(({ effect }) => effect.kind === 'no_client_auth');
      return (
        forbidding.find((rule) => rule.subject === subject) ??
        forbidding.find((rule) => rule.subject === 'chrome')
      );
    }),
    noNames: remembered((kind: UncertifiedKind) =>
      rules.find(({ effect }) => effect.kind === 'no_names' && effect.names === kind),
    ),
  };
}

function remembered<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key) as Value;
  };
}

/** How long the next certificate of a name lasts. */
export interface NextLifetime {
  readonly days: number;
  /** The rule that makes it shorter than the one in use; undefined if none does. */
  readonly rule: CalendarRule | undefined;
}

/** Whether the rules for public certificates concern the next certificate of a name. */
export function isJudged({ isPublic, provider }: InventoryName): boolean {
  return isPublic && provider?.isPublic !== false;
}

/** The lifetime that the next certificate has on the day: as now, unless a rule makes it shorter. */
export function nextLifetime(name: InventoryName, day: RulesOfDay): NextLifetime {
  const days = lifetimeDays(name);
  if (!isJudged(name)) return { days, rule: undefined };
  return [day.lifetime, letsEncryptRule(name, day)].reduce<NextLifetime>(
    (shortest, rule) =>
      rule === undefined || rule.effect.days >= shortest.days ? shortest : { days: rule.effect.days, rule },
    { days, rule: undefined },
  );
}

/** The rule for the profile by which Let's Encrypt issues the next certificate of a name. */
export function letsEncryptRule(
  { issuer, provider }: InventoryName,
  day: RulesOfDay,
): ProfileRule | undefined {
  const subject = provider === undefined ? subjectOfIssuer(issuer) : provider.subject;
  return subject === 'lets_encrypt' ? day.profileLifetime(provider?.profile ?? usualProfile) : undefined;
}
