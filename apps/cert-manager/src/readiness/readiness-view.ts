import type { PublicReadiness } from '@certloop/contracts';
import type { CalendarRule } from '@certloop/crypto';
import type { NameGroup, Readiness } from './readiness.js';

/** Names that break on a day. */
export interface ReadinessReport extends Readiness {
  /** As in 2026-11-30. */
  readonly day: string;
  /** Days to come on which a rule begins. */
  readonly dates: readonly string[];
  readonly rules: readonly CalendarRule[];
  readonly computedAt: Date;
}

/** The report, as the API shows it. */
export function readinessView(report: ReadinessReport): PublicReadiness {
  const { day, dates, rules, certificates, breaks, handwork, renewedElsewhere, capacity } = report;
  return {
    on: day,
    dates: [...dates],
    rules: rules.map(ruleView),
    certificates: { total: certificates.total, public: certificates.public },
    breaks: breaks.map(({ code, rule, ...group }) => ({ code, rule, ...groupView(group) })),
    handwork: {
      names: handwork.names,
      minutesPerRenewal: handwork.minutesPerRenewal,
      renewalsPerMonth: handwork.renewalsPerMonth,
      hoursPerMonth: handwork.hoursPerMonth,
      hoursPerMonthToday: handwork.hoursPerMonthToday,
      reasons: handwork.reasons.map(({ code, ...group }) => ({ code, ...groupView(group) })),
    },
    renewedElsewhere,
    capacity: {
      names: capacity.names,
      renewalsPerDay: capacity.renewalsPerDay,
      renewalsPerDayToday: capacity.renewalsPerDayToday,
    },
    computedAt: report.computedAt.toISOString(),
  };
}

/** Effects by which names are judged; the others are for people to look after. */
const judgedEffects: ReadonlySet<CalendarRule['effect']['kind']> = new Set([
  'max_days',
  'profile_days',
  'no_client_auth',
  'no_names',
]);

function ruleView({ code, from, subject, rule, effect, source, checkedOn, certainty }: CalendarRule) {
  const judged = judgedEffects.has(effect.kind);
  return { code, from, subject, rule, source, checkedOn, certainty, judged };
}

function groupView({ count, names, action }: NameGroup) {
  return { count, names: names.map(({ fqdnId, spaceId, fqdn }) => ({ fqdnId, spaceId, fqdn })), action };
}
