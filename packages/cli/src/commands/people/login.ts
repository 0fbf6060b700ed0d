import { tokenScopes, Unauthenticated } from '@certloop/contracts';
import { type Command, Option } from 'commander';
import { forgetLogin, type LoginPlace, loginFile, prepareLogin } from '../../connection/connection.js';
import { managerAt, type Session } from '../../connection/session.js';
import { type SignedIn, signIn } from '../../connection/sign-in.js';
import { UsageError } from '../../usage-error.js';

interface LoginOptions {
  readonly url: string;
  readonly username: string;
  readonly scope: (typeof tokenScopes)[number];
}

/** Adds `login`, `logout` and `whoami`. */
export function addLogin(program: Command, open: () => Session): void {
  program
    .command('login')
    .description('Exchange a password for an API token that is stored for later calls')
    .requiredOption('--url <url>', 'address of cert-manager')
    .requiredOption('--username <name>', 'who you are there; the password is asked for, or read from a pipe')
    .addOption(
      new Option('--scope <scope>', 'what the token may do').choices(tokenScopes).default('READ_WRITE'),
    )
    .action((options: LoginOptions) => login(open(), options));
  program
    .command('logout')
    .description('Revoke that token and forget it')
    .option('--keep-token', 'only forget it here')
    .action(({ keepToken = false }: { keepToken?: boolean }) => logout(open(), keepToken));
  program
    .command('whoami')
    .description('Show who you are')
    .action(async () => {
      const { report, manager } = open();
      const { body } = await (await manager()).getMe();
      report.thing(body, ({ user, token }) => ({
        username: user.username,
        email: user.email,
        scope: token?.scope,
        expires: token?.expiresAt,
      }));
    });
}

async function login(session: Session, { url, username, scope }: LoginOptions): Promise<void> {
  const { io, report } = session;
  const place = await prepareLogin(io.env);
  try {
    const signedIn = await signIn(io, url, username);
    try {
      const shown = await storeToken(session, signedIn, { url, username, scope, place });
      report.done(`logged in as ${username}, stored in ${loginFile(io.env)}`, shown);
    } finally {
      await signedIn.manager.logout({ headers: signedIn.headers }).catch((error: Error) => {
        report.warn(`the session at ${url} stays open until it expires: ${error.message}`);
      });
    }
  } finally {
    await place.abandon();
  }
}

/** Makes a token and stores it; one that cannot be stored is revoked. */
async function storeToken(
  { report }: Session,
  { manager, headers }: SignedIn,
  { url, username, scope, place }: LoginOptions & { readonly place: LoginPlace },
) {
  const name = `certloop ${new Date().toISOString().slice(0, 16)}`;
  const { token, ...shown } = (await manager.createApiToken({ body: { name, scope }, headers })).body;
  try {
    await place.store({ certManager: { url, token, tokenId: shown.id, username } });
  } catch (error) {
    await manager.deleteApiToken({ params: { id: shown.id }, headers }).catch((refusal: Error) => {
      report.warn(`revoke the token '${name}' in the console; it could not be revoked: ${refusal.message}`);
    });
    throw error;
  }
  return shown;
}

async function logout({ io, report, connection }: Session, keepToken: boolean): Promise<void> {
  const { url, token, tokenId: id, username } = (await connection()).certManager ?? {};
  if (url === undefined || id === undefined || username === undefined)
    throw new UsageError('there is no log-in to end');
  if (!keepToken) {
    await managerAt(url, token)
      .deleteOwnApiToken()
      .catch((error: unknown) => {
        // one that is revoked or has expired is gone as wanted
        if (!(error instanceof Unauthenticated)) throw error;
      });
  }
  await forgetLogin(io.env);
  report.done(
    keepToken
      ? `forgot the log-in; its token at ${url} stays valid`
      : `logged out; the token at ${url} is revoked`,
    { id },
  );
}
