import { AppError, NotFound, type RenewalQueueEntry, renewalStatuses } from '@certloop/contracts';
import { type Command, Option } from 'commander';
import pLimit from 'p-limit';
import { confirm } from '../confirm.js';
import type { Session } from '../connection/session.js';
import { findFqdn, findSpace, listFqdnsIn } from '../lookup.js';
import { wholeNumber } from '../numbers.js';
import { UsageError } from '../usage-error.js';

interface RenewalFilter {
  readonly status?: (typeof renewalStatuses)[number];
  readonly space?: string;
  readonly limit: number;
}

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
    .option('--limit <n>', 'at most so many', wholeNumber('--limit', 1, 1000), 100)
    .action(async ({ status, space, limit }: RenewalFilter) => {
      const { report, manager } = open();
      const client = await manager();
      const spaceId = space === undefined ? undefined : (await findSpace(client, space)).id;
      const query = { status, spaceId, limit: String(limit), include: 'fqdn' as const };
      report.list((await client.listRenewals({ query })).body, rowOf);
    });
  renewals
    .command('run <fqdn>')
    .description('Run the pending renewal of an FQDN now')
    .option('-s, --space <space>', 'the space that it is in')
    .action(async (named: string, { space }: { space?: string }) => {
      const { report, manager } = open();
      const client = await manager();
      const { id: fqdnId, spaceId } = await findFqdn(client, named, space);
      const { entry, message } = (await client.explainRenewal({ params: { spaceId, fqdnId } })).body;
      if (entry === undefined)
        throw new UsageError(`${named}: ${message}; certloop issue gets a certificate now`);
      const { body } = await client.runRenewal({ params: { id: entry.id } });
      report.done(`${named}: the renewal runs`, body);
    });
  for (const state of ['on', 'off'] as const) {
    renewals
      .command(`${state} <fqdn...>`)
      .description(`Switch automatic renewal ${state} for FQDNs, also by patterns such as 'app*'`)
      .option('-s, --space <space>', 'only those of one space')
      .option('--dry-run', 'only list them')
      .option('-y, --yes', 'switch several off at once; without it, the command asks')
      .action((patterns: string[], options: SwitchOptions) => switchAll(open(), state, patterns, options));
  }
}

interface SwitchOptions {
  readonly space?: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

/** Switches those that are not so yet; all are tried, and the failures are counted at the end. */
async function switchAll(
  session: Session,
  state: 'on' | 'off',
  patterns: readonly string[],
  { space, dryRun, yes }: SwitchOptions,
): Promise<void> {
  const client = await session.manager();
  const renewalEnabled = state === 'on';
  const found = matching(await listFqdnsIn(client, space), patterns);
  const changing = found.filter((fqdn) => fqdn.renewalEnabled !== renewalEnabled);
  if (changing.length > 1 && !renewalEnabled && dryRun !== true)
    await confirm(
      session.io,
      yes,
      `renewal of ${changing.length} FQDNs would be switched off (--dry-run lists them)`,
    );
  const isChanging = new Set(changing);
  const outcomes = await session.progress(changing.length, (step) =>
    pLimit(4).map(found, async (fqdn) => {
      if (!isChanging.has(fqdn) || dryRun === true)
        return { ...fqdn, result: isChanging.has(fqdn) ? `would be ${state}` : 'unchanged', message: '' };
      step(fqdn.fqdn);
      try {
        const params = { spaceId: fqdn.spaceId, fqdnId: fqdn.id };
        const { body } = await client.setRenewalEnabled({ params, body: { renewalEnabled } });
        return { ...fqdn, renewalEnabled, result: state, message: body.message };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return { ...fqdn, result: 'failed', message: error.message };
      }
    }),
  );
  session.report.list(outcomes, ({ fqdn, space: place, result, message }) => ({
    fqdn,
    space: place,
    result,
    message,
  }));
  if (changing.length === 0) session.unchanged();
  const failed = outcomes.filter(({ result }) => result === 'failed').length;
  if (failed > 0) throw new Error(`${failed} of ${changing.length} failed; the list names the reasons`);
}

/** FQDNs that one of the patterns names, in which * stands for any text; a pattern without one names exactly. */
function matching<T extends { readonly fqdn: string; readonly id: string }>(
  fqdns: readonly T[],
  patterns: readonly string[],
): T[] {
  const chosen = new Set<T>();
  for (const pattern of patterns) {
    const parts = pattern
      .toLowerCase()
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`));
    const expression = new RegExp(`^${parts.join('.*')}$`);
    const found = fqdns.filter(({ fqdn, id }) => id === pattern || expression.test(fqdn));
    if (found.length === 0)
      throw new NotFound(`no FQDN matches ${pattern}; certloop fqdns lists those that you may see`);
    for (const each of found) chosen.add(each);
  }
  return [...chosen];
}
