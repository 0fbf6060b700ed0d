import { type ApiToken, tokenScopes } from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { withPassword } from '../../connection/with-password.js';
import { type ExistingOptions, findEnough, withExistingOptions } from '../../existing.js';
import { findSpace, findUser, requireOne } from '../../lookup.js';
import { duration } from '../../numbers.js';

const rowOf = ({ name, scope, expiresAt, lastUsedAt, spaceIds, id }: ApiToken) => ({
  name,
  scope,
  expires: expiresAt.slice(0, 10),
  'last used': lastUsedAt?.slice(0, 10) ?? 'never',
  spaces: spaceIds === null ? 'all' : spaceIds.length,
  id,
});

interface NewToken extends ExistingOptions {
  readonly scope: (typeof tokenScopes)[number];
  readonly expiresIn?: number;
  readonly space?: readonly string[];
  readonly cidr?: readonly string[];
  readonly passwordFile?: string;
}

interface DeleteOptions {
  readonly user?: string;
  readonly passwordFile?: string;
  readonly yes?: true;
}

const passwordHelp = 'file whose first line is your password; - is standard input';

/** Adds `tokens`. A token may not touch tokens, so what concerns one's own asks for the password. */
export function addTokens(program: Command, open: () => Session): void {
  const tokens = program
    .command('tokens')
    .description('API tokens of cert-manager: yours, which need your password, or those of --user');
  tokens
    .command('list', { isDefault: true })
    .description('List API tokens')
    .option('--user <user>', 'those of another user, for administrators')
    .option('--password-file <file>', passwordHelp)
    .action(async ({ user, passwordFile }) => {
      const session = open();
      if (user === undefined) {
        return withPassword(session, passwordFile, async ({ manager, headers }) => {
          session.report.list((await manager.listApiTokens({ headers })).body, rowOf);
        });
      }
      const { manager } = session;
      const { id } = await findUser(manager, user);
      session.report.list((await manager.listUserApiTokens({ params: { id } })).body, rowOf);
    });
  withExistingOptions(tokens.command('create <name>'), 'a token')
    .description('Create an API token; its secret is shown only once')
    .addOption(new Option('--scope <scope>', 'what it may do').choices(tokenScopes).default('READ_WRITE'))
    .option(
      '--expires-in <duration>',
      'lifetime: days, or 12w, 36h',
      duration('--expires-in', 'd', 0.01, 3_650),
    )
    .option('-s, --space <space...>', 'limit it to these spaces, by name or id')
    .option('--cidr <range...>', 'limit it to these addresses, such as 10.0.0.0/8')
    .option('--password-file <file>', passwordHelp)
    .action((name, options) => createToken(open(), name, options));
  tokens
    .command('delete <token>')
    .description('Revoke an API token with its predecessors and successors, by name or id')
    .option('--user <user>', 'that of another user, for administrators')
    .option('--password-file <file>', passwordHelp)
    .option('-y, --yes', 'revoke; without it, the command asks')
    .action((named, options) => deleteToken(open(), named, options));
}

async function createToken(session: Session, name: string, options: NewToken): Promise<void> {
  const { scope, expiresIn, space, cidr, passwordFile } = options;
  const { manager } = session;
  const spaces = await Promise.all((space ?? []).map((each) => findSpace(manager, each)));
  await withPassword(session, passwordFile, async ({ manager, headers }) => {
    const same = (await manager.listApiTokens({ headers })).body.find((token) => token.name === name);
    const enough = await findEnough(session, same, `a token ${name}`, options);
    if (enough !== undefined) return session.report.thing(enough, rowOf);
    const body = {
      name,
      scope,
      ...(expiresIn !== undefined && {
        expiresAt: new Date(Date.now() + expiresIn * 86_400_000).toISOString(),
      }),
      ...(space !== undefined && { spaceIds: spaces.map(({ id }) => id) }),
      ...(cidr !== undefined && { allowedCidrs: [...cidr] }),
    };
    const made = (await manager.createApiToken({ body, headers })).body;
    session.report.thing(made, ({ token, ...shown }) => ({
      ...rowOf({ ...shown, lastUsedAt: null, lastUsedIp: null }),
      token,
    }));
  });
}

async function deleteToken(
  session: Session,
  named: string,
  { user, passwordFile, yes }: DeleteOptions,
): Promise<void> {
  const matching = (all: readonly ApiToken[]) =>
    requireOne(
      all.filter(({ id, name }) => id === named || name === named),
      named,
      'token',
    );
  const agree = ({ name, id }: ApiToken) =>
    confirm(session.io, yes, `token ${name} (${id}) would be revoked, and its successors with it`);
  if (user === undefined) {
    return withPassword(session, passwordFile, async ({ manager, headers }) => {
      const token = matching((await manager.listApiTokens({ headers })).body);
      await agree(token);
      await manager.deleteApiToken({ params: { id: token.id }, headers });
      session.report.done(`revoked ${token.name}`, token);
    });
  }
  const { manager } = session;
  const { id } = await findUser(manager, user);
  const token = matching((await manager.listUserApiTokens({ params: { id } })).body);
  await agree(token);
  await manager.deleteUserApiToken({ params: { id, tokenId: token.id } });
  session.report.done(`revoked ${token.name}`, token);
}
