import { type RenewalQueueEntry, renewalStatuses } from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findFqdn, findSpace } from '../../lookup.js';
import { wholeNumber } from '../../numbers.js';
import { changeManyFqdns } from './change-fqdns.js';

const rowOf = (entry: RenewalQueueEntry) => ({
  fqdn: entry.fqdn ?? entry.fqdnId,
  scheduled: entry.scheduledAt,
  status: entry.status,
  attempt: entry.attempt,
  reason: entry.reason,
});

/** Adds `renewals`. */
export function addRenewals(program: Command, open: () => Session): void {
  const renewals = program
    .command('renewals')
    .description('Renewals: list the queue, run one now, switch them on or off');
  renewals
    .command('list', { isDefault: true })
    .description('List the renewal queue')
    .addOption(new Option('--status <status>', 'only entries of one status').choices(renewalStatuses))
    .option('-s, --space <space>', 'only those of one space')
    .option('--limit <n>', 'maximum number of results', wholeNumber('--limit', 1, 1000), 100)
    .action(async ({ status, space, limit }) => {
      const { report, manager } = open();
      const spaceId = space === undefined ? undefined : (await findSpace(manager, space)).id;
      const query = { status, spaceId, limit: String(limit), include: 'fqdn' as const };
      report.list((await manager.listRenewals({ query })).body, rowOf);
    });
  renewals
    .command('run <fqdn>')
    .description('Run the pending renewal of an FQDN now')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { space }) => {
      const { report, manager } = open();
      const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
      const { entry, message } = (await manager.explainRenewal({ params: { spaceId, fqdnId } })).body;
      if (entry === undefined)
        throw new UsageError(`${named}: ${message}; certloop issue gets a certificate now`);
      const { body } = await manager.runRenewal({ params: { id: entry.id } });
      report.done(`${named}: the renewal runs`, body);
    });
  for (const state of ['on', 'off'] as const) {
    renewals
      .command(`${state} <fqdn...>`)
      .description(`Switch automatic renewal ${state} for FQDNs, also by patterns such as 'app*'`)
      .option('-s, --space <space>', 'only those of one space')
      .option('--dry-run', 'only list them')
      .addOption(
        // on takes it too, so that a script can have either
        new Option('-y, --yes', 'switch off more than one; without it, the command asks').hideHelp(
          state === 'on',
        ),
      )
      .action((patterns, options) => switchAll(open(), state, patterns, options));
  }
}

interface SwitchOptions {
  readonly space?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Switches those that are not so yet; several are switched off only after yes. */
async function switchAll(
  session: Session,
  state: 'on' | 'off',
  patterns: readonly string[],
  { space, dryRun, yes }: SwitchOptions,
): Promise<void> {
  const isOn = state === 'on';
  await changeManyFqdns(session, {
    patterns,
    space,
    dryRun,
    change: { action: isOn ? 'renewal-on' : 'renewal-off' },
    after: () => ({ renewalEnabled: isOn }),
    result: state,
    confirm: async ({ length }) => {
      if (isOn || length < 2) return;
      const loss = `renewal of ${length} FQDNs would be switched off (--dry-run lists them)`;
      await confirm(session.io, yes, loss);
    },
  });
}
