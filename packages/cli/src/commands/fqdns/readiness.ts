import type { PublicReadiness } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { findSpace } from '../../lookup.js';

/** Adds `readiness`. */
export function addReadiness(program: Command, open: () => Session, ended: (code: number) => void): void {
  program
    .command('readiness')
    .description(
      'List what the rules for public certificates break on a day, and which renewals need a person',
    )
    .option('--on <day>', 'day, as in 2027-06-01; today if absent')
    .option('-s, --space <space>', 'only the FQDNs of one space')
    .option('--exit-code', 'exit with 1 if something breaks')
    .action(async (options, command) => {
      const breaks = await showReadiness(open(), options);
      // the program has this option too, and takes it wherever it stands
      if (command.optsWithGlobals().exitCode === true && breaks > 0) ended(1);
    });
}

const shownNames = 3;

/** Returns how many rules are broken. */
async function showReadiness(
  { report, manager }: Session,
  { on, space }: { readonly on?: string; readonly space?: string },
): Promise<number> {
  const spaceId = space === undefined ? undefined : (await findSpace(manager, space)).id;
  const { body } = await manager.getPublicReadiness({ query: { on, spaceId } });
  const days = new Map(body.rules.map(({ code, from }) => [code, from]));
  const groups: Group[] = [
    ...body.breaks.map((each) => ({ ...each, since: days.get(each.rule) })),
    ...body.handwork.reasons.map((each) => ({ ...each, rule: 'handwork' })),
  ];
  report.list(
    groups,
    ({ code, rule, since, count, names, action }) => ({
      names: count,
      code,
      rule,
      since,
      for: namesText(names, count),
      'what to do': action,
    }),
    { wide: ['what to do'] },
  );
  report.warn(summaryOf(body));
  return body.breaks.length;
}

type Group = Omit<PublicReadiness['breaks'][number], 'code'> & {
  readonly code: string;
  /** First day of the rule. */
  readonly since?: string | undefined;
};

function namesText(names: Group['names'], count: number): string {
  const shown = names.slice(0, shownNames).map(({ fqdn }) => fqdn);
  return [...shown, ...(count > shown.length ? [`and ${count - shown.length} more`] : [])].join(', ');
}

function summaryOf({ on, certificates, handwork, capacity }: PublicReadiness): string {
  const parts = [
    `certificates of public CAs: ${certificates.public} of ${certificates.total}`,
    `names that need a person: ${handwork.names}, ${handwork.hoursPerMonth} h a month (today ${handwork.hoursPerMonthToday} h)`,
    `names renewed automatically: ${capacity.names}, ${capacity.renewalsPerDay} renewals a day (today ${capacity.renewalsPerDayToday})`,
  ];
  return `on ${on}: ${parts.join('; ')}`;
}
