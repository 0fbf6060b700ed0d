/** Who sets a rule, or whose certificates follow it. */
export type RuleSubject = 'public_cas' | 'chrome' | 'lets_encrypt' | 'google' | 'sectigo' | 'digicert';

/** How sure a date is: past, adopted by those who set the rule, or announced by the CA. */
export type RuleCertainty = 'in_force' | 'decided' | 'announced';

/** Change that a rule makes, for programs. */
export type RuleEffect =
  /** The longest lifetime of certificates that begin from its date on. */
  | { readonly kind: 'max_days'; readonly days: number }
  /** The same of a profile (draft-ietf-acme-profiles). */
  | { readonly kind: 'profile_days'; readonly profile: string; readonly days: number }
  /** Certificates are for servers alone. */
  | { readonly kind: 'no_client_auth' }
  /** Names that are not certified. */
  | { readonly kind: 'no_names'; readonly names: 'internal' | 'reverse_zone' }
  /** How long the proof of a name may be used again. */
  | { readonly kind: 'proof_reuse'; readonly hours: number }
  | { readonly kind: 'other' };

/** A rule for public certificates and the day from which it holds, in UTC. */
export interface CalendarRule {
  readonly code: string;
  /** As in 2026-11-30. */
  readonly from: string;
  readonly subject: RuleSubject;
  /** A sentence. */
  readonly rule: string;
  readonly effect: RuleEffect;
  /** Address of the document that says so. */
  readonly source: string;
  /** When the source was read last. */
  readonly checkedOn: string;
  readonly certainty: RuleCertainty;
}

/** The rules that hold on a day, in the order of their dates. */
export function rulesInForce(rules: readonly CalendarRule[], on: Date): CalendarRule[] {
  return rules.filter(({ from }) => startOf(from) <= on);
}

/** The moment at which a day of the calendar begins. */
export function startOf(day: string): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** The newest of the rules that hold at a moment and that the condition picks. */
export function lastRule<T extends CalendarRule>(
  rules: readonly CalendarRule[],
  at: Date,
  isMeant: (rule: CalendarRule) => rule is T,
): T | undefined {
  return rulesInForce(rules, at).filter(isMeant).at(-1);
}

/** A rule about the lifetime of all public certificates. */
export type LifetimeRule = CalendarRule & { readonly effect: { readonly kind: 'max_days' } };

/** The rule about the lifetime of a public certificate that begins at this moment; undefined before the first one. */
export function publicLifetimeRule(
  rules: readonly CalendarRule[],
  notBefore: Date,
): LifetimeRule | undefined {
  return lastRule(rules, notBefore, (rule): rule is LifetimeRule => rule.effect.kind === 'max_days');
}
