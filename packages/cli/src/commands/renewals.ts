import { renewalStatuses } from '@certloop/contracts';
import { type Command, Option } from 'commander';
import pLimit from 'p-limit';
import { findSpace } from '../lookup.js';
import { wholeNumber } from '../numbers.js';
import type { Manager, Session } from '../session.js';

interface RenewalFilter {
  readonly status?: (typeof renewalStatuses)[number];
  readonly space?: string;
  readonly limit: number;
}

/** Adds `renewals`. */
export function addRenewals(program: Command, open: () => Session): void {
  program
    .command('renewals')
    .description('List the renewal queue')
    .addOption(new Option('--status <status>', 'only entries of one status').choices(renewalStatuses))
    .option('-s, --space <space>', 'only those of one space')
    .option('--limit <n>', 'at most so many', wholeNumber('--limit', 1, 1000), 100)
    .action((filter: RenewalFilter) => listRenewals(open(), filter));
}

async function listRenewals({ report, manager }: Session, { status, space, limit }: RenewalFilter) {
  const client = await manager();
  const spaceId = space === undefined ? undefined : (await findSpace(client, space)).id;
  const { body } = await client.listRenewals({ query: { status, spaceId, limit: String(limit) } });
  const names = await fqdnNames(client, new Set(body.map((entry) => entry.spaceId)));
  report.list(body, (entry) => ({
    fqdn: names.get(entry.fqdnId) ?? entry.fqdnId,
    scheduled: entry.scheduledAt,
    status: entry.status,
    attempt: entry.attempt,
    reason: entry.reason,
  }));
}

async function fqdnNames(client: Manager, spaceIds: Iterable<string>): Promise<Map<string, string>> {
  const lists = await pLimit(4).map([...spaceIds], (id) => client.listFqdns({ params: { id } }));
  return new Map(lists.flatMap(({ body }) => body.map(({ id, fqdn }) => [id, fqdn])));
}
