import type { User } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Manager, Session } from '../../connection/session.js';
import { type ExistingOptions, withIfNotExists } from '../../existing.js';
import { UsageError } from '../../faults/command-errors.js';
import { findGroup, findUser } from '../../lookup.js';
import { readSecret } from '../../secret.js';

const rowOf = ({ username, email, isAdmin, enabled, createdAt, id }: User) => ({
  username,
  email,
  administrator: isAdmin ? 'yes' : 'no',
  enabled: enabled ? 'yes' : 'no',
  created: createdAt.slice(0, 10),
  id,
});

interface UserOptions extends ExistingOptions {
  readonly email?: string;
  readonly passwordFile?: string;
  readonly admin?: boolean;
  readonly enabled?: boolean;
  readonly group?: readonly string[];
  readonly revokeTokens?: true;
  readonly keepTokens?: true;
  readonly yes?: true;
}

/** Adds `users`; all of it is for administrators. */
export function addUsers(program: Command, open: () => Session): void {
  const users = program
    .command('users')
    .description('Users of cert-manager, for administrators; everyone may call users permissions');
  users
    .command('list', { isDefault: true })
    .description('List users')
    .action(async () => {
      const { report, manager } = open();
      report.list((await manager.listUsers()).body, rowOf, { wide: ['created'] });
    });
  users
    .command('get <user>')
    .description('Show a user, by name or id')
    .action(async (named) => {
      const { report, manager } = open();
      const { id } = await findUser(manager, named);
      report.thing((await manager.getUser({ params: { id } })).body, rowOf);
    });
  withIfNotExists(users.command('create <username>'), 'a user')
    .description('Create a user; the command asks for the password, or reads it from a file')
    .requiredOption('--email <address>', 'mail address')
    .option('--password-file <file>', 'file whose first line is the password; - is standard input')
    .option('--admin', 'make an administrator')
    .option('-g, --group <group...>', 'permission groups to belong to')
    .action((username, options) => createUser(open(), username, options));
  users
    .command('update <user>')
    .description('Change a user; settings without an option stay unchanged')
    .option('--email <address>', 'mail address')
    .option('--password-file <file>', 'file whose first line is the password; - is standard input')
    .option('--admin', 'make an administrator')
    .option('--no-admin', 'make an ordinary user')
    .option('--enabled', 'let the user sign in')
    .option('--no-enabled', 'do not let the user sign in')
    .option('-g, --group <group...>', 'permission groups to belong to; replaces the current ones')
    .option('--revoke-tokens', 'revoke all API tokens of the user, as a new password of another user does')
    .option('--keep-tokens', 'with a new password: do not revoke the API tokens of the user')
    .option('-y, --yes', 'revoke them; without it, the command asks')
    .action((named, options) => updateUser(open(), named, options));
  users
    .command('permissions [user]')
    .description('Show what a user may do and by which groups, by name or id; by default you')
    .action((named) => showPermissions(open(), named));
  users
    .command('delete <user>')
    .description('Delete a user with their API tokens')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action(async (named, { yes }) => {
      const { io, report, manager } = open();
      const user = await findUser(manager, named);
      await confirm(io, yes, `user ${user.username} would be deleted with all API tokens`);
      report.done((await manager.deleteUser({ params: { id: user.id } })).body.message, user);
    });
}

async function showPermissions({ report, manager }: Session, named: string | undefined): Promise<void> {
  const { body } =
    named === undefined
      ? await manager.getOwnPermissions()
      : await manager.getUserPermissions({ params: { id: (await findUser(manager, named)).id } });
  const spaces = new Map((await manager.listSpaces()).body.map(({ id, name }) => [id, name]));
  const where = (allowed: Readonly<Record<string, boolean>>) =>
    Object.keys(allowed)
      .filter((id) => allowed[id])
      .map((id) => spaces.get(id) ?? id)
      .join(', ') || 'nowhere';
  report.thing(body, ({ isAdmin, accessibleSpaces, permissions: may, groups }) => ({
    administrator: isAdmin ? 'yes' : 'no',
    groups: groups.map(({ name, permission }) => `${name} (${permission})`).join(', '),
    reads: accessibleSpaces.map((id) => spaces.get(id) ?? id).join(', '),
    'creates spaces': may.canCreateSpace ? 'yes' : 'no',
    'deletes spaces': may.canDeleteSpace ? 'yes' : 'no',
    'adds FQDNs': where(may.canCreateFqdn),
    'deletes FQDNs': where(may.canDeleteFqdn),
    'uploads CSRs': where(may.canUploadCSR),
    'requests certificates': where(may.canSignCSR),
  }));
}

async function createUser(session: Session, username: string, options: UserOptions): Promise<void> {
  const { report, manager } = session;
  if (options.ifNotExists === true) {
    // names of users differ whatever their case
    const isSame = (other: string) => other.toLowerCase() === username.toLowerCase();
    const found = (await manager.listUsers()).body.find((user) => isSame(user.username));
    if (found !== undefined) {
      session.unchanged();
      return report.thing(found, rowOf);
    }
  }
  const email = options.email ?? '';
  const password = await readPassword(session, username, options.passwordFile);
  const body = { username, email, password, ...(await rightsOf(manager, options)) };
  report.thing((await manager.createUser({ body })).body, rowOf);
}

async function updateUser(session: Session, named: string, options: UserOptions): Promise<void> {
  const { io, report, manager } = session;
  const { id, username } = await findUser(manager, named);
  const { email, enabled, passwordFile, revokeTokens, keepTokens } = options;
  if (revokeTokens && keepTokens)
    throw new UsageError('--revoke-tokens and --keep-tokens exclude each other');
  // with a new password of one's own, the token of this command would end
  const isReset = passwordFile !== undefined && (await manager.getMe()).body.user.id !== id;
  const body = {
    ...(email !== undefined && { email }),
    ...(enabled !== undefined && { enabled }),
    ...(passwordFile !== undefined && { password: await readPassword(session, username, passwordFile) }),
    ...((revokeTokens || (isReset && !keepTokens)) && { revokeTokens: true }),
    ...(await rightsOf(manager, options)),
  };
  if (Object.keys(body).length === 0)
    throw new UsageError('name what is to change, such as --email; see --help');
  if (revokeTokens === true) await confirm(io, options.yes, `all API tokens of ${username} would be revoked`);
  report.thing((await manager.updateUser({ params: { id }, body })).body, rowOf);
}

async function rightsOf(manager: Manager, { admin, group }: UserOptions) {
  const groups = await Promise.all((group ?? []).map((name) => findGroup(manager, name)));
  return {
    ...(admin !== undefined && { isAdmin: admin }),
    ...(group !== undefined && { groupIds: groups.map(({ id }) => id) }),
  };
}

async function readPassword({ io }: Session, username: string, file: string | undefined): Promise<string> {
  const question = `Password for ${username}: `;
  return readSecret(io, { question, name: 'password', option: '--password-file', file });
}
