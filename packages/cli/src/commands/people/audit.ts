import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { type AuditLog, type AuditLogsQuery, auditExportFormats } from '@certloop/contracts';
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import { isTemporary, repeat } from '../../connection/repeat.js';
import type { Manager, Session } from '../../connection/session.js';
import { findSpace } from '../../lookup.js';
import { moment, wholeNumber } from '../../numbers.js';

const rowOf = ({ timestamp, username, action, resourceType, resourceId, ipAddress }: AuditLog) => ({
  time: timestamp,
  user: username,
  action,
  resource: resourceType,
  address: ipAddress,
  id: resourceId,
});

interface Filter {
  readonly action?: string;
  readonly user?: string;
  readonly space?: string;
  readonly from?: string;
  readonly to?: string;
  readonly text?: string;
}

/** Adds `audit`. */
export function addAudit(program: Command, open: () => Session): void {
  const audit = program.command('audit').description('The audit log of cert-manager');
  withFilter(
    audit.command('list', { isDefault: true }).description('List the entries, newest first, or follow them'),
  )
    .option('--limit <n>', 'maximum number of results', wholeNumber('--limit', 1, 1000), 100)
    .option('--follow', 'continue with new entries until Ctrl-C')
    .action(async (options) => {
      const session = open();
      const { manager } = session;
      const query = await queryOf(manager, options);
      if (options.follow === true) return follow(session, manager, query);
      const { body } = await manager.listAuditLogs({ query: { ...query, limit: String(options.limit) } });
      session.report.list(body.logs, rowOf, { wide: ['address'] });
    });
  withFilter(audit.command('export').description('Write all entries that match the filters'))
    .addOption(
      new Option('--format <format>', 'format of the file').choices(auditExportFormats).default('jsonl'),
    )
    .option('--out <file>', 'file to write; default: standard output')
    .action(async ({ format, out, ...filter }) => {
      const { io, manager, report } = open();
      const query = { ...(await queryOf(manager, filter)), format };
      const { body } = await manager.exportAuditLogs({ query });
      if (out === undefined) return pipeline(body, io.out as NodeJS.WritableStream, { end: false });
      await pipeline(body, createWriteStream(out));
      report.done(`wrote ${out}`, { file: out });
    });
  audit
    .command('clear')
    .description('Delete all entries, for administrators; the clearing itself is recorded')
    .option('-y, --yes', 'clear; without it, the command asks')
    .action(async ({ yes }) => {
      const { io, report, manager } = open();
      const { total } = (await manager.listAuditLogs({ query: { limit: '1' } })).body;
      await confirm(io, yes, `${total} entries would be lost; certloop audit export writes them first`);
      report.done((await manager.deleteAuditLogs()).body.message, { total });
    });
  audit
    .command('clearings')
    .description('List when the log was cleared, and by whom')
    .action(async () => {
      const { report, manager } = open();
      const { body } = await manager.listAuditClearings();
      report.list(body, ({ at, count, username }) => ({ time: at, user: username, entries: count }));
    });
}

function withFilter<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command
    .option('--action <action>', 'only this action, or those that begin with a word: fqdn.*')
    .option('--user <user>', 'only entries of this user')
    .option('-s, --space <space>', 'only entries about a space')
    .option(
      '--from <moment>',
      'only from this time on: ISO 8601, or 36h for 36 hours ago',
      moment('--from', 'ago'),
    )
    .option('--to <moment>', 'only until this time: ISO 8601, or 1d for a day ago', moment('--to', 'ago'))
    .option('--text <text>', 'only entries with this text in their details');
}

type Query = Partial<
  Pick<AuditLogsQuery, 'action' | 'username' | 'spaceId' | 'from' | 'to' | 'q'> & { order: 'asc' | 'desc' }
>;

async function queryOf(manager: Manager, { action, user, space, from, to, text }: Filter): Promise<Query> {
  const spaceId = space === undefined ? undefined : (await findSpace(manager, space)).id;
  return {
    ...(action !== undefined && { action }),
    ...(user !== undefined && { username: user }),
    ...(spaceId !== undefined && { spaceId }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(text !== undefined && { q: text }),
  };
}

const followMs = 2_000;

/**
 * Prints entries as they come, oldest first, until a signal or until nothing reads them. A service that is away is asked
 * again until it is back; entries of the meantime follow then.
 */
async function follow(session: Session, manager: Manager, query: Query): Promise<void> {
  const { io, report } = session;
  const stop = new AbortController();
  const end = () => stop.abort();
  const release = io.onSignal(end);
  io.out.once('error', end);
  try {
    const [newest] = (await manager.listAuditLogs({ query: { ...query, limit: '1' } })).body.logs;
    let after = newest?.seq ?? 0;
    while (!stop.signal.aborted) {
      const page = { ...query, order: 'asc' as const, after: String(after), limit: '1000' };
      const logs = await untilAnswered(session, stop.signal, () => manager.listAuditLogs({ query: page }));
      for (const entry of logs?.body.logs ?? []) report.line(entry, rowOf(entry));
      after = logs?.body.logs.at(-1)?.seq ?? after;
      if ((logs?.body.logs.length ?? 0) === 0) await io.pause(followMs, stop.signal);
    }
  } finally {
    release();
    io.out.off('error', end);
  }
}

/** The response; undefined once it is stopped. Each five failures in a row are one line on standard error. */
async function untilAnswered<T>(
  { io, report }: Session,
  stop: AbortSignal,
  call: () => Promise<T>,
): Promise<T | undefined> {
  while (!stop.aborted) {
    try {
      return await repeat(io, call, { stop });
    } catch (error) {
      if (!isTemporary(error)) throw error;
      if (!stop.aborted) report.warn(`${error.message}; trying again until it answers`);
    }
  }
  return undefined;
}
