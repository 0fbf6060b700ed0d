import { NotFound, tokenScopes } from '@certloop/contracts';
import { type Command, Option } from 'commander';
import { forgetLogin, isAddress, keepLogin, loginFile } from '../connection.js';
import type { Io } from '../io.js';
import { managerAt, type Session } from '../session.js';
import { UsageError } from '../usage-error.js';

interface LoginOptions {
  readonly url: string;
  readonly username: string;
  readonly scope: (typeof tokenScopes)[number];
}

/** Adds `login`, `logout` and `whoami`. */
export function addLogin(program: Command, open: () => Session): void {
  program
    .command('login')
    .description('Exchange a password for an API token that is kept for later calls')
    .requiredOption('--url <url>', 'address of cert-manager')
    .requiredOption('--username <name>', 'who you are there; the password is asked for, or read from a pipe')
    .addOption(
      new Option('--scope <scope>', 'what the token may do').choices(tokenScopes).default('READ_WRITE'),
    )
    .action((options: LoginOptions) => login(open(), options));
  program
    .command('logout')
    .description('Revoke that token, which takes the password again, and forget it')
    .option('--keep-token', 'only forget it here; no password needed')
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

async function login({ io, report }: Session, { url, username, scope }: LoginOptions): Promise<void> {
  const { manager, headers } = await signIn(io, url, username);
  const name = `certloop ${new Date().toISOString().slice(0, 16)}`;
  const created = (await manager.createApiToken({ body: { name, scope }, headers })).body;
  const { token, ...shown } = created;
  await keepLogin(io.env, { certManager: { url, token, tokenId: created.id, username } });
  await manager.logout({ headers });
  report.done(`logged in as ${username}, kept in ${loginFile(io.env)}`, shown);
}

async function logout({ io, report, connection }: Session, keepToken: boolean): Promise<void> {
  const { url, tokenId: id, username } = (await connection()).certManager ?? {};
  if (url === undefined || id === undefined || username === undefined)
    throw new UsageError('there is no log-in to end');
  if (!keepToken) {
    // A token may not touch tokens, its own neither.
    const { manager, headers } = await signIn(io, url, username);
    await manager.deleteApiToken({ params: { id }, headers }).catch((error: unknown) => {
      // one that is revoked or over already is gone as wanted
      if (!(error instanceof NotFound)) throw error;
    });
    await manager.logout({ headers });
  }
  await forgetLogin(io.env);
  report.done('logged out', { id });
}

/** A session, for the few calls that need one. */
async function signIn(io: Io, url: string, username: string) {
  if (!isAddress(url)) throw new UsageError(`${url} is no address`);
  const password = await io.askSecret(`Password of ${username}: `);
  const manager = managerAt(url);
  const { body, headers } = await manager.login({ body: { username, password } });
  const cookie = String(headers?.['set-cookie'] ?? '').split(';', 1)[0] ?? '';
  return {
    manager,
    headers: { cookie, origin: new URL(url).origin, 'x-csrf-token': body.csrfToken },
  };
}
