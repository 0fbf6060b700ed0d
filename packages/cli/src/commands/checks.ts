import type { Check, ReadOnlyCheck } from '@certloop/contracts';
import type { Command } from 'commander';
import { findCheck } from '../lookup.js';
import { wholeNumber } from '../numbers.js';
import type { Session } from '../session.js';
import { lasting } from '../table.js';
import { UsageError } from '../usage-error.js';

const rowOf = (check: Check | ReadOnlyCheck) => ({
  name: check.name,
  status: check.status,
  'last ping': check.last_ping,
  'next ping': check.next_ping,
  expects: check.schedule ?? `every ${lasting(check.timeout ?? 0)}`,
  tags: check.tags,
  id: 'uuid' in check ? check.uuid : check.unique_key,
});

interface CreateOptions {
  readonly timeout?: number;
  readonly grace?: number;
  readonly schedule?: string;
  readonly tz?: string;
  readonly tags?: string;
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
      report.list((await (await monitor()).listChecks({ query })).body.checks, rowOf);
    });
  checks
    .command('create <name>')
    .description('Create a check, or change the one of that name')
    .option('--timeout <seconds>', 'how often a ping is expected', wholeNumber('--timeout', 60, 31_536_000))
    .option('--grace <seconds>', 'how late it may be', wholeNumber('--grace', 60, 31_536_000))
    .option('--schedule <expression>', 'cron or OnCalendar instead of a timeout')
    .option('--tz <zone>', 'time zone of the schedule')
    .option('--tags <tags>', 'words with blanks between')
    .action(async (name: string, options: CreateOptions) => {
      if (name.trim() === '') throw new UsageError('the name of the check is empty');
      if (options.schedule !== undefined && options.timeout !== undefined)
        throw new UsageError('--timeout and --schedule exclude each other');
      const { report, monitor } = open();
      const body = { name, ...options, unique: ['name' as const] };
      report.thing((await (await monitor()).createCheck({ body })).body, (check) => ({
        ...rowOf(check),
        ping: check.ping_url,
      }));
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
