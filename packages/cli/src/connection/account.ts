import type { AccountProject } from '@certloop/contracts';
import { UsageError } from '../faults/command-errors.js';
import { requireOne } from '../lookup.js';
import { readSecret } from '../secret.js';
import type { Session } from './session.js';
import { type AccountClient, signInToMonitor } from './sign-in.js';

/** A session of someone's account at check-monitor, for what no key may do. */
export interface Account {
  readonly client: AccountClient;
  /** The project by name or id; without one, the only project, else that of the key. Throws UsageError. */
  readonly project: (named: string | undefined) => Promise<AccountProject>;
}

/**
 * Signs in to check-monitor, works there and signs out. The password is that of the credentials file, or asked for, or
 * read from a pipe. Throws UsageError where no account is known.
 */
export async function withAccount(
  session: Session,
  work: (account: Account) => Promise<void>,
): Promise<void> {
  const { url, email, password: known } = (await session.connection()).checkMonitor ?? {};
  if (url === undefined || email === undefined)
    throw new UsageError(
      'this command needs your account at check-monitor: log in with --email (certloop login), or set CERTLOOP_MONITOR_URL and CERTLOOP_MONITOR_EMAIL',
    );
  const password =
    known ??
    (await readSecret(session.io, {
      question: `Password of ${email} at ${url}: `,
      name: `password of ${email}`,
    }));
  const client = await signInToMonitor(url, email, password, session.fetchFrom('check-monitor'));
  try {
    await work({ client, project: (named) => findProject(session, client, named) });
  } finally {
    await client.logout().catch((error: Error) => {
      session.report.warn(`the session at ${url} stays open until it expires: ${error.message}`);
    });
  }
}

async function findProject(
  session: Session,
  client: AccountClient,
  named: string | undefined,
): Promise<AccountProject> {
  const { projects } = (await client.listProjects()).body;
  if (named !== undefined) {
    const byId = projects.filter(({ id }) => id === named);
    return requireOne(
      byId.length > 0 ? byId : projects.filter(({ name }) => name === named),
      named,
      'project',
    );
  }
  const [first, ...others] = projects;
  if (first === undefined)
    throw new UsageError('you have no project yet; create one with certloop projects create');
  const found = others.length === 0 ? first : await projectOfKey(session, client, projects);
  if (found !== undefined) return found;
  const names = projects.map(({ name, id }) => name || id).join(', ');
  throw new UsageError(`choose a project with --project: ${names}`);
}

/** The project that the key belongs to, which shows where both see the same check or integration. */
async function projectOfKey(
  { connection, monitor }: Session,
  client: AccountClient,
  projects: readonly AccountProject[],
): Promise<AccountProject | undefined> {
  if ((await connection()).checkMonitor?.readWriteKey === undefined) return undefined;
  const keyed = monitor;
  const [check] = (await keyed.listChecks()).body.checks;
  if (check !== undefined) {
    const checkId = 'uuid' in check ? check.uuid : check.unique_key;
    const found = await client.findOwnCheck({ params: { checkId } }).catch(() => undefined);
    return projects.find(({ id }) => id === found?.body.projectId);
  }
  const [channel] = (await keyed.listChannels()).body.channels;
  for (const project of channel === undefined ? [] : projects) {
    const { channels } = (await client.listAccountChannels({ params: { projectId: project.id } })).body;
    if (channels.some(({ id }) => id === channel?.id)) return project;
  }
  return undefined;
}
