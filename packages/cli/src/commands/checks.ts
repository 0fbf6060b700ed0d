import { type Check, onlyAble, type ReadOnlyCheck, withChannels } from '@certloop/contracts';
import type { Command } from 'commander';
import { findCheck } from '../lookup.js';
import { duration } from '../numbers.js';
import { lasting } from '../output/table.js';
import type { Monitor, Session } from '../session.js';
import { UsageError } from '../usage-error.js';

/** Row of a check; `countOn` is absent where the key does not see integrations. */
const rowOf = (check: Check | ReadOnlyCheck, countOn?: (check: Check) => number) => ({
  name: check.name,
  status: check.status,
  'last ping': check.last_ping,
  'next ping': check.next_ping,
  expects: check.schedule ?? `every ${lasting(check.timeout ?? 0)}`,
  tags: check.tags,
  integrations: countOn && 'channels' in check ? countOn(check) || 'none' : undefined,
  id: 'uuid' in check ? check.uuid : check.unique_key,
});

interface CreateOptions {
  readonly timeout?: number;
  readonly grace?: number;
  readonly schedule?: string;
  readonly tz?: string;
  readonly tags?: string;
  readonly integrations?: string;
  readonly assign: boolean;
}

/** Adds `checks`. */
export function addChecks(program: Command, open: () => Session): void {
  const checks = program
    .command('checks')
    .description('Checks of the monitor: list, create, pause, resume, delete');
  checks
    .command('list', { isDefault: true })
    .description('List checks')
    .option('--tag <tag>', 'only those with a tag')
    .action(async ({ tag }: { tag?: string }) => {
      const { report, monitor } = open();
      const query = tag === undefined ? {} : { tag };
      const client = await monitor();
      const { checks } = (await client.listChecks({ query })).body;
      const seen = withChannels(checks);
      const countOn = seen && onlyAble((await client.listChannels()).body.channels);
      report.list(checks, (check) => rowOf(check, countOn), { wide: ['next ping', 'tags'] });
      const silent = seen?.filter((check) => countOn?.(check) === 0).length ?? 0;
      if (silent > 0)
        report.warn(`${silent} of ${checks.length} checks have no integration, so they send no alerts`);
    });
  checks
    .command('create <name>')
    .description('Create a check, or change the one of that name')
    .option(
      '--timeout <duration>',
      'how often a ping is expected: seconds, or 1d, 36h',
      duration('--timeout', 's', 60, 31_536_000),
    )
    .option(
      '--grace <duration>',
      'how late it may be: seconds, or 1d, 36h',
      duration('--grace', 's', 60, 31_536_000),
    )
    .option('--schedule <expression>', 'cron or OnCalendar instead of a timeout')
    .option('--tz <zone>', 'time zone of the schedule')
    .option('--tags <tags>', 'words with blanks between')
    .option('--integrations <names>', 'names or ids of the integrations to assign, with commas between')
    .option('--no-assign', 'assign no integration; without this, a check that has none gets all')
    .action(async (name: string, options: CreateOptions) => {
      if (name.trim() === '') throw new UsageError('the name of the check is empty');
      if (options.schedule !== undefined && options.timeout !== undefined)
        throw new UsageError('--timeout and --schedule exclude each other');
      if (options.integrations !== undefined && !options.assign)
        throw new UsageError('--integrations and --no-assign exclude each other');
      const { report, monitor } = open();
      const client = await monitor();
      const check = await createCheck(client, name, options);
      const countOn = onlyAble((await client.listChannels()).body.channels);
      report.thing(check, () => ({ ...rowOf(check, countOn), ping: check.ping_url }));
      if (options.assign && countOn(check) === 0)
        report.warn('the project has no integration that is switched on, so the check sends no alerts');
    });
  for (const [verb, done] of [
    ['pause', 'paused'],
    ['resume', 'resumed'],
    ['delete', 'deleted'],
  ] as const) {
    checks
      .command(`${verb} <check>`)
      .description(`${verb[0]?.toUpperCase()}${verb.slice(1)} a check, by name, slug or uuid`)
      .action(async (named: string) => {
        const { report, monitor } = open();
        const client = await monitor();
        const { uuid: id } = await findCheck(client, named);
        const { body } = await client[`${verb}Check`]({ params: { id } });
        report.done(`${done} ${body.name || body.uuid}`, body);
      });
  }
}

/** Creates or changes the check of this name. One that then has no integration gets all, unless `assign` is false. */
async function createCheck(monitor: Monitor, name: string, options: CreateOptions): Promise<Check> {
  const { integrations, assign, ...settings } = options;
  const channels = integrations === undefined ? {} : { channels: integrations };
  const body = { name, ...settings, ...channels, unique: ['name' as const] };
  const { body: made } = await monitor.createCheck({ body });
  if (!assign || made.channels !== '') return made;
  return (await monitor.updateCheck({ params: { id: made.uuid }, body: { channels: '*' } })).body;
}
