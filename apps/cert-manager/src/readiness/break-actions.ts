import type { BreakCode, HandworkCode } from '@certloop/contracts';
import type { CalendarRule } from '@certloop/crypto';
import { minLeadDays } from './breaks.js';
import type { RulesOfDay } from './rules-of-day.js';

/** The sentence that says what to do about names that break a rule on a day. */
export function breakAction(code: BreakCode, rule: CalendarRule, day: RulesOfDay): string {
  return actions[code](rule, day);
}

const actions: Readonly<Record<BreakCode, (rule: CalendarRule, day: RulesOfDay) => string>> = {
  lifetime_too_long: (rule) =>
    `The next certificate lasts for ${daysOf(rule)}: check that renewal and installation need no person.`,
  lead_time_too_long: (rule) =>
    `Today they are renewed at least ${daysOf(rule)} before the end, as long as the next certificate lasts: plan approvals, maintenance windows and distribution for a third of it.`,
  lead_time_too_short: () =>
    `Their own share of the lifetime leaves less than ${minLeadDays} days for tries: lower renewAfterFraction, or clear it for two thirds.`,
  client_auth: () =>
    'The next certificate does not authenticate clients: find the servers that these certificates log in to, and issue certificates of a private CA for that.',
  name_not_certified: ({ effect }) =>
    effect.kind === 'no_names' && effect.names === 'reverse_zone'
      ? 'Public CAs do not certify names of reverse zones: use a name of the host, or a private CA.'
      : 'Public CAs do not certify these names: use names of a domain that you own, or a private CA.',
  no_renewal_information: () =>
    'Their CA has no renewal information (RFC 9773): it cannot say that it is about to revoke, and may count renewals against its limits. Ask the CA, or choose a provider that has it.',
  no_profile: () =>
    'Their provider names no profile, so the lifetime changes on the day of the CA: name one in the provider, such as tlsserver, and try the shorter lifetime before.',
};

function daysOf({ effect }: CalendarRule): string {
  return 'days' in effect ? `${effect.days} days` : 'the new lifetime';
}

/** The sentence that says how a renewal can do without a person. */
export function handworkAction(code: HandworkCode): string {
  return handworkActions[code];
}

const handworkActions: Readonly<Record<HandworkCode, string>> = {
  no_csr: 'Upload a CSR, choose a provider, and switch renewal on.',
  no_provider: 'Choose a provider, and switch renewal on.',
  manual_proof:
    'Let the provider prove the names by http-01, or by dns-01 with a DNS server or a delegation.',
  renewal_off: 'Switch renewal on.',
};
