import { type PermissionGroup, permissionLevels } from '@certloop/contracts';
import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Manager, Session } from '../../connection/session.js';
import {
  allowRename,
  type ExistingOptions,
  findEnough,
  withExistingOptions,
  withNewName,
} from '../../existing.js';
import { UsageError } from '../../faults/command-errors.js';
import { findGroup, findSpace, findUser } from '../../lookup.js';

const rowOf = ({ name, permission, allSpaces, spaceIds, userIds, description, id }: PermissionGroup) => ({
  name,
  permission,
  spaces: allSpaces === true ? 'all' : spaceIds.length,
  members: userIds?.length ?? '',
  description,
  id,
});

interface GroupOptions extends ExistingOptions {
  readonly permission?: (typeof permissionLevels)[number];
  readonly space?: readonly string[];
  readonly allSpaces?: boolean;
  readonly member?: readonly string[];
  readonly description?: string;
  readonly name?: string;
}

/** Adds `groups`; all of it is for administrators. */
export function addGroups(program: Command, open: () => Session): void {
  const groups = program
    .command('groups')
    .description('Permission groups: which users may do what in which spaces, for administrators');
  groups
    .command('list', { isDefault: true })
    .description('List permission groups')
    .action(async () => {
      const { report, manager } = open();
      report.list((await manager.listPermissionGroups()).body, rowOf, { wide: ['description'] });
    });
  groups
    .command('get <group>')
    .description('Show a permission group with its spaces and members, by name or id')
    .action((named) => showGroup(open(), named));
  withExistingOptions(withScope(groups.command('create <name>'), true), 'a group')
    .description('Create a permission group')
    .action((name, options) => createGroup(open(), name, options));
  withScope(
    withNewName(groups.command('update <group>')).description(
      'Change a permission group; settings without an option stay unchanged',
    ),
    false,
  ).action((named, options) => updateGroup(open(), named, options));
  groups
    .command('delete <group>')
    .description('Delete a permission group; its members lose its permissions')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action(async (named, { yes }) => {
      const { io, report, manager } = open();
      const group = await findGroup(manager, named);
      await confirm(
        io,
        yes,
        `group ${group.name} would be deleted, and its ${group.userIds?.length ?? 0} members lose its rights`,
      );
      report.done((await manager.deletePermissionGroup({ params: { id: group.id } })).body.message, group);
    });
  for (const [verb, operation] of [
    ['add-member', 'addGroupMember'],
    ['remove-member', 'removeGroupMember'],
  ] as const) {
    groups
      .command(`${verb} <group> <user>`)
      .description(verb === 'add-member' ? 'Add a user to a group' : 'Remove a user from a group')
      .action(async (group, user) => {
        const { report, manager } = open();
        const { id } = await findGroup(manager, group);
        const { id: userId } = await findUser(manager, user);
        report.done((await manager[operation]({ params: { id, userId } })).body.message, { id, userId });
      });
  }
}

function withScope<Args extends unknown[], Opts extends OptionValues>(
  command: Command<Args, Opts>,
  isNew: boolean,
) {
  const permission = new Option('--permission <level>', 'what its members may do').choices(permissionLevels);
  if (isNew) permission.makeOptionMandatory();
  return command
    .addOption(permission)
    .option('-s, --space <space...>', 'the spaces, by name or id')
    .option('--all-spaces', 'all spaces, also those created later')
    .option('--member <user...>', 'the members, by name or id')
    .option('--description <text>', 'what it is for');
}

async function scopeOf(
  manager: Manager,
  { permission, space, allSpaces, member, description }: GroupOptions,
) {
  const spaces = await Promise.all((space ?? []).map((name) => findSpace(manager, name)));
  const users = await Promise.all((member ?? []).map((name) => findUser(manager, name)));
  return {
    ...(permission !== undefined && { permission }),
    ...(allSpaces !== undefined && { allSpaces }),
    ...(description !== undefined && { description }),
    ...(space !== undefined && { spaceIds: spaces.map(({ id }) => id) }),
    ...(member !== undefined && { userIds: users.map(({ id }) => id) }),
  };
}

async function createGroup(session: Session, name: string, options: GroupOptions): Promise<void> {
  const { report, manager } = session;
  const same = (await manager.listPermissionGroups()).body.find((group) => group.name === name);
  const enough = await findEnough(session, same, `a group ${name}`, options);
  if (enough !== undefined) return report.thing(enough, rowOf);
  const { permission } = options;
  if (permission === undefined) throw new UsageError(`--permission is one of ${permissionLevels.join(', ')}`);
  const body = { ...(await scopeOf(manager, options)), name, permission };
  report.thing((await manager.createPermissionGroup({ body })).body, rowOf);
}

async function updateGroup(session: Session, named: string, options: GroupOptions): Promise<void> {
  const { report, manager } = session;
  const { id } = await findGroup(manager, named);
  const { name, twin } = options;
  const body = { ...(await scopeOf(manager, options)), ...(name !== undefined && { name }) };
  if (Object.keys(body).length === 0)
    throw new UsageError('name what is to change, such as --space; see --help');
  if (name !== undefined) {
    const all = (await manager.listPermissionGroups()).body;
    await allowRename(session, all, { id, name }, { said: 'group', twin });
  }
  report.thing((await manager.updatePermissionGroup({ params: { id }, body })).body, rowOf);
}

async function showGroup({ report, manager }: Session, named: string): Promise<void> {
  const { id } = await findGroup(manager, named);
  const { body } = await manager.getPermissionGroup({ params: { id } });
  const { userIds } = (await manager.listGroupMembers({ params: { id } })).body;
  const users = new Map((await manager.listUsers()).body.map((user) => [user.id, user.username]));
  const spaces = new Map((await manager.listSpaces()).body.map((space) => [space.id, space.name]));
  report.thing({ ...body, userIds }, (group) => ({
    ...rowOf(group),
    spaces:
      group.allSpaces === true ? 'all' : group.spaceIds.map((each) => spaces.get(each) ?? each).join(', '),
    members: userIds.map((each) => users.get(each) ?? each).join(', '),
  }));
}
