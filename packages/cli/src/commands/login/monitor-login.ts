import { type AccountProject, Unauthenticated } from '@certloop/contracts';
import { confirm } from '../../confirm.js';
import { isSecret } from '../../connection/connection-values.js';
import type { Connection } from '../../connection/contexts.js';
import { monitorAt, type Session } from '../../connection/session.js';
import { requireAddress, signInToMonitor } from '../../connection/sign-in.js';
import { UsageError } from '../../faults/command-errors.js';
import { requireOne } from '../../lookup.js';
import { readSecret } from '../../secret.js';
import type { Opened } from './opened.js';

export interface MonitorLogin {
  readonly monitorUrl?: string;
  readonly email?: string;
  readonly monitorPasswordFile?: string;
  readonly keyFile?: string;
  readonly project?: string;
  readonly yes?: true;
}

type MonitorConnection = NonNullable<Connection['checkMonitor']>;

type OpenedMonitor = Opened<{ readonly connection: MonitorConnection; readonly project: string }>;

/** A key of a project of check-monitor: the one of the file, or one that is created by the password. */
export async function openMonitor(
  session: Session,
  url: string,
  options: MonitorLogin,
  before: MonitorConnection | undefined,
): Promise<OpenedMonitor> {
  requireAddress(url);
  const { email, keyFile, monitorPasswordFile } = options;
  if (keyFile !== undefined && (email ?? monitorPasswordFile) !== undefined)
    throw new UsageError('--key-file cannot be combined with --email or --monitor-password-file');
  if (keyFile !== undefined) return takeKey(session, url, keyFile, options.project);
  if (email === undefined) throw new UsageError('name yourself with --email, or a key with --key-file');
  return createKey(session, url, { ...options, email }, before);
}

/** The key of a file, which is tried; log-out leaves it valid. */
async function takeKey(
  { io, fetchFrom }: Session,
  url: string,
  file: string,
  wanted: string | undefined,
): Promise<OpenedMonitor> {
  const key = await readSecret(io, { question: '', name: 'key', option: '--key-file', file });
  if (!isSecret(key)) throw new UsageError(`--key-file: ${file} has no key in its first line`);
  const { project } = (await monitorAt(url, key, fetchFrom('check-monitor')).getOwnKey()).body;
  if (wanted !== undefined && ![project.id, project.name].includes(wanted))
    throw new UsageError(`--key-file: the key is one of the project ${project.name}, not of ${wanted}`);
  const connection = { url, readWriteKey: key, projectId: project.id };
  return { value: { connection, project: project.name }, undo: async () => undefined };
}

/**
 * A project has one read-write key, which other programs may use. Where it has one, the context's own is taken again;
 * another is replaced only when that is confirmed.
 */
async function createKey(
  session: Session,
  url: string,
  { email, monitorPasswordFile, project: named, yes }: MonitorLogin & { readonly email: string },
  before: MonitorConnection | undefined,
): Promise<OpenedMonitor> {
  const { io, report, fetchFrom } = session;
  const fetchOf = fetchFrom('check-monitor');
  const password = await readSecret(io, {
    question: `Password of ${email} at ${url}: `,
    name: `password of ${email}`,
    option: '--monitor-password-file',
    file: monitorPasswordFile,
  });
  const account = await signInToMonitor(url, email, password, fetchOf);
  try {
    const project = pickProject((await account.listProjects()).body.projects, named);
    const { id: projectId, name } = project;
    const own = before?.url === url && before.projectId === projectId ? before : undefined;
    if (own !== undefined && (await isValid(session, own)))
      return { value: { connection: { ...own, email }, project: name }, undo: async () => undefined };
    if (project.keys.includes('read-write')) {
      await confirm(
        io,
        yes,
        `project ${name} has a read-write key, which a new one would replace: programs that use it would be refused (--key-file takes the key that it has)`,
      );
    }
    const { key } = (await account.createKey({ params: { projectId, kind: 'read-write' } })).body;
    const undo = () =>
      monitorAt(url, key, fetchOf)
        .revokeOwnKey()
        .then(
          () => undefined,
          (error: Error) =>
            report.warn(
              `revoke the read-write key of ${name} in the console; it stays valid: ${error.message}`,
            ),
        );
    const connection = { url, readWriteKey: key, projectId, email, isOwn: true };
    return { value: { connection, project: name }, undo };
  } finally {
    await account.logout().catch((error: Error) => {
      report.warn(`the session at ${url} stays open until it expires: ${error.message}`);
    });
  }
}

async function isValid({ fetchFrom }: Session, { url, readWriteKey }: MonitorConnection): Promise<boolean> {
  if (readWriteKey === undefined) return false;
  try {
    await monitorAt(url, readWriteKey, fetchFrom('check-monitor')).getOwnKey();
    return true;
  } catch (error) {
    if (error instanceof Unauthenticated) return false;
    throw error;
  }
}

/** The project that is named, or the only one. */
function pickProject(projects: readonly AccountProject[], named: string | undefined): AccountProject {
  const open = projects.filter(({ role }) => role !== 'read-only');
  if (named !== undefined)
    return requireOne(
      open.filter(({ id, name }) => id === named || name === named),
      named,
      'project',
    );
  const [project, ...others] = open;
  if (project === undefined)
    throw new UsageError(
      'you have no project in check-monitor that you may change; create one in its console',
    );
  if (others.length > 0)
    throw new UsageError(`choose a project with --project: ${open.map(({ name }) => name).join(', ')}`);
  return project;
}
