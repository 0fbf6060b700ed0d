import { type Check, onlyAble, withChannels } from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Monitor, Session } from '../../connection/session.js';
import { allowRename, withNewName } from '../../existing.js';
import { UsageError } from '../../faults/command-errors.js';
import { findCheck } from '../../lookup.js';
import { duration } from '../../numbers.js';
import { addCheckHistory } from './check-history.js';
import { checkRowOf } from './check-row.js';

interface CreateOptions {
  readonly timeout?: number;
  readonly grace?: number;
  readonly slug?: string;
  readonly description?: string;
  readonly ifNotExists?: true;
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
    .description(
      'Checks of the monitor: list, get, create, update, pause, resume, delete; their pings, flips and badges',
    );
  checks
    .command('list', { isDefault: true })
    .description('List checks')
    .option('--tag <tag>', 'only those with a tag')
    .action(async ({ tag }) => {
      const { report, monitor } = open();
      const query = tag === undefined ? {} : { tag };
      const { checks } = (await monitor.listChecks({ query })).body;
      const seen = withChannels(checks);
      const countOn =
        seen && onlyAble((await monitor.listChannels({ query: { include: 'state' } })).body.channels);
      report.list(checks, (check) => checkRowOf(check, countOn), { wide: ['next ping', 'tags'] });
      const silent = seen?.filter((check) => countOn?.(check) === 0).length ?? 0;
      if (silent > 0)
        report.warn(`${silent} of ${checks.length} checks have no integration, so they send no alerts`);
    });
  addCheckCreate(checks, open);
  addCheckHistory(checks, open);
  addCheckUpdate(checks, open);
  for (const [verb, done] of [
    ['pause', 'paused'],
    ['resume', 'resumed'],
  ] as const) {
    checks
      .command(`${verb} <check>`)
      .description(`${verb[0]?.toUpperCase()}${verb.slice(1)} a check, by name, slug or uuid`)
      .action(async (named) => {
        const { report, monitor } = open();
        const { uuid: id } = await findCheck(monitor, named);
        const { body } = await monitor[`${verb}Check`]({ params: { id } });
        report.done(`${done} ${body.name || body.uuid}`, body);
      });
  }
  checks
    .command('delete <check>')
    .description('Delete a check with its pings, by name, slug or uuid')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action(async (named, { yes }) => {
      const { io, report, monitor } = open();
      const { uuid: id, name } = await findCheck(monitor, named);
      await confirm(io, yes, `check ${name || id} would be deleted with its pings and flips`);
      const { body } = await monitor.deleteCheck({ params: { id } });
      report.done(`deleted ${body.name || body.uuid}`, body);
    });
}

function addCheckCreate(checks: Command, open: () => Session): void {
  checks
    .command('create <name>')
    .description('Create a check, or change the check with that name')
    .option(
      '--timeout <duration>',
      'how often a ping is expected: seconds, or 1d, 36h',
      duration('--timeout', 's', 60, 31_536_000),
    )
    .option(
      '--grace <duration>',
      'how late a ping may be: seconds, or 1d, 36h',
      duration('--grace', 's', 60, 31_536_000),
    )
    .option('--schedule <expression>', 'cron or OnCalendar instead of a timeout')
    .option('--tz <zone>', 'time zone of the schedule')
    .option('--slug <slug>', 'name in ping addresses: lower-case letters, digits, - and _')
    .option('--description <text>', 'what it watches')
    .option('--tags <tags>', 'tags, separated by spaces')
    .option(
      '--integrations <integrations>',
      'names or ids of the integrations to assign, separated by commas',
    )
    .addOption(new Option('--channels <names>', 'the same as --integrations').hideHelp())
    .option('--if-not-exists', 'succeed if a check with that name exists, and leave it unchanged')
    .option('--no-assign', 'assign no integration; without this, a check that has none gets all')
    .action(async (name, { channels, ...given }) => {
      const options = channels === undefined ? given : { ...given, integrations: channels };
      if (name.trim() === '') throw new UsageError('the name of the check is empty');
      if (options.schedule !== undefined && options.timeout !== undefined)
        throw new UsageError('--timeout and --schedule cannot be combined');
      if (options.integrations !== undefined && !options.assign)
        throw new UsageError('--integrations and --no-assign cannot be combined');
      const session = open();
      const { report, monitor } = session;
      const check =
        (await existing(session, monitor, name, options)) ?? (await createCheck(monitor, name, options));
      const countOn = onlyAble((await monitor.listChannels({ query: { include: 'state' } })).body.channels);
      report.thing(check, () => ({ ...checkRowOf(check, countOn), ping: check.ping_url }));
      if (options.assign && countOn(check) === 0)
        report.warn('the project has no integration that is switched on, so the check sends no alerts');
    });
}

/** Creates or changes the check of this name. One that then has no integration gets all, unless `assign` is false. */
async function createCheck(monitor: Monitor, name: string, options: CreateOptions): Promise<Check> {
  const { integrations, assign, description, ifNotExists: _, ...given } = options;
  const settings = { ...given, ...(description !== undefined && { desc: description }) };
  const channels = integrations === undefined ? {} : { channels: integrations };
  const body = { name, ...settings, ...channels, unique: ['name' as const] };
  const { body: made } = await monitor.createCheck({ body });
  if (!assign || made.channels !== '') return made;
  return (await monitor.updateCheck({ params: { id: made.uuid }, body: { channels: '*' } })).body;
}

/** The check of this name where one is enough. */
async function existing(
  session: Session,
  monitor: Monitor,
  name: string,
  { ifNotExists }: CreateOptions,
): Promise<Check | undefined> {
  if (ifNotExists !== true) return undefined;
  const { checks } = (await monitor.listChecks()).body;
  const found = checks.find((check): check is Check => 'uuid' in check && check.name === name);
  if (found !== undefined) session.unchanged();
  return found;
}

/** Asks before two checks of the project have one name. */
async function allowCheckName(
  session: Session,
  monitor: Monitor,
  { twin, ...renamed }: { readonly id: string; readonly name: string; readonly twin: true | undefined },
): Promise<void> {
  const { checks } = (await monitor.listChecks()).body;
  const all = checks.flatMap((check) => ('uuid' in check ? [{ id: check.uuid, name: check.name }] : []));
  await allowRename(session, all, renamed, { said: 'check', twin });
}

function addCheckUpdate(checks: Command, open: () => Session): void {
  withNewName(checks.command('update <check>'))
    .description('Change a check, by name, slug or uuid; settings without an option stay unchanged')
    .option('--slug <slug>', 'name in ping addresses: lower-case letters, digits, - and _')
    .option(
      '--timeout <duration>',
      'how often a ping is expected',
      duration('--timeout', 's', 60, 31_536_000),
    )
    .option('--grace <duration>', 'how late a ping may be', duration('--grace', 's', 60, 31_536_000))
    .option('--schedule <expression>', 'cron or OnCalendar instead of a timeout')
    .option('--tz <zone>', 'time zone of the schedule')
    .option('--tags <tags>', 'tags, separated by spaces')
    .option('--description <text>', 'what it watches')
    .option(
      '--integrations <integrations>',
      "names or ids of the integrations to assign, separated by commas; '' for none",
    )
    .action(async (named, { integrations, description, twin, ...settings }) => {
      const body = {
        ...settings,
        ...(description !== undefined && { desc: description }),
        ...(integrations !== undefined && { channels: integrations }),
      };
      if (Object.keys(body).length === 0)
        throw new UsageError('name what is to change, such as --grace; see --help');
      const session = open();
      const { report, monitor } = session;
      const { uuid: id } = await findCheck(monitor, named);
      if (settings.name !== undefined)
        await allowCheckName(session, monitor, { id, name: settings.name, twin });
      report.thing((await monitor.updateCheck({ params: { id }, body })).body, (check) => checkRowOf(check));
    });
}
