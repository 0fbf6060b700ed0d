import type { tokenScopes } from '@certloop/contracts';
import { isSecret } from '../../connection/connection-values.js';
import type { Connection } from '../../connection/contexts.js';
import { managerAt, type Session } from '../../connection/session.js';
import { requireAddress, type SignedIn, signIn } from '../../connection/sign-in.js';
import { UsageError } from '../../faults/command-errors.js';
import { readSecret } from '../../secret.js';
import type { Opened } from './opened.js';

export interface ManagerLogin {
  readonly url?: string;
  readonly username?: string;
  readonly passwordFile?: string;
  readonly tokenFile?: string;
  readonly scope: (typeof tokenScopes)[number];
}

type OpenedManager = Opened<NonNullable<Connection['certManager']>>;

/** A token of cert-manager: the one of the file, or one that is created by the password. */
export async function openManager(
  session: Session,
  url: string,
  options: ManagerLogin,
): Promise<OpenedManager> {
  requireAddress(url);
  const { username, tokenFile, passwordFile } = options;
  if (tokenFile !== undefined && (username ?? passwordFile) !== undefined)
    throw new UsageError('--token-file cannot be combined with --username or --password-file');
  if (tokenFile !== undefined) return takeToken(session, url, tokenFile);
  if (username === undefined)
    throw new UsageError('name yourself with --username, or a token with --token-file');
  return createToken(session, url, { ...options, username });
}

/** The token of a file, which is tried; log-out leaves it valid. */
async function takeToken({ io, fetchFrom }: Session, url: string, file: string): Promise<OpenedManager> {
  const token = await readSecret(io, { question: '', name: 'API token', option: '--token-file', file });
  if (!isSecret(token)) throw new UsageError(`--token-file: ${file} has no API token in its first line`);
  const { user } = (await managerAt(url, token, fetchFrom('cert-manager')).getMe()).body;
  return { value: { url, token, username: user.username }, undo: async () => undefined };
}

async function createToken(
  session: Session,
  url: string,
  { username, passwordFile, scope }: ManagerLogin & { readonly username: string },
): Promise<OpenedManager> {
  const { io, report, fetchFrom } = session;
  const password = await readSecret(io, {
    question: `Password of ${username} at ${url}: `,
    name: `password of ${username}`,
    option: '--password-file',
    file: passwordFile,
  });
  const signedIn = await signIn(url, username, password, fetchFrom('cert-manager'));
  const name = `certloop ${new Date().toISOString().slice(0, 16)}`;
  const { token, id } = await withSession(session, url, signedIn, async ({ manager, headers }) => {
    return (await manager.createApiToken({ body: { name, scope }, headers })).body;
  });
  const undo = () =>
    managerAt(url, token, fetchFrom('cert-manager'))
      .deleteOwnApiToken()
      .then(
        () => undefined,
        (error: Error) =>
          report.warn(`revoke the token '${name}' in the console; it could not be revoked: ${error.message}`),
      );
  return { value: { url, token, tokenId: id, username }, undo };
}

/** Works in a session, which ends afterwards. */
async function withSession<T>(
  { report }: Session,
  url: string,
  signedIn: SignedIn,
  work: (signedIn: SignedIn) => Promise<T>,
): Promise<T> {
  try {
    return await work(signedIn);
  } finally {
    await signedIn.manager.logout({ headers: signedIn.headers }).catch((error: Error) => {
      report.warn(`the session at ${url} stays open until it expires: ${error.message}`);
    });
  }
}
