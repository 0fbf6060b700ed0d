import { type AccountProject, keyKinds } from '@certloop/contracts';
import { Argument, type Command, Option } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import { type Account, withAccount } from '../../connection/account.js';
import type { Session } from '../../connection/session.js';
import { requireOne } from '../../lookup.js';

export function addMembers(projects: Command, open: () => Session): void {
  projects
    .command('add-member <project> <email>')
    .description('Add a user to a project, or change their role; only for its owner')
    .addOption(
      new Option('--role <role>', 'what the member may do')
        .choices(['member', 'read-only'])
        .default('member'),
    )
    .action(async (named, email, { role }) => {
      const session = open();
      await withAccount(session, async ({ client, project }) => {
        const { id: projectId, name } = await project(named);
        const { body } = await client.putMember({ params: { projectId }, body: { email, role } });
        session.report.done(`${email} is ${role} of ${name}`, body);
      });
    });
  projects
    .command('remove-member <project> <member>')
    .description('Remove a member from a project; only for its owner and for the member')
    .action(async (named, email) => {
      const session = open();
      await withAccount(session, async ({ client, project }) => {
        const { id: projectId, name, keys } = await project(named);
        const { members } = (await client.listMembers({ params: { projectId } })).body;
        const member = requireOne(
          members.filter((each) => each.email === email || each.id === email),
          email,
          'member',
          `certloop projects get '${name}' lists its members`,
        );
        await client.removeMember({ params: { projectId, userId: member.id } });
        // what the member knows: members see new keys, read-only members see none
        const known = keys.length === 0 || member.role === 'read-only' ? '' : `; ${keysStay(name)}`;
        session.report.done(`${member.email} is not a member of ${name}${known}`, member);
      });
    });
}

function keysStay(name: string): string {
  return `keys that they know still work: replace them with certloop projects create-key '${name}' <kind>`;
}

export function addKeys(projects: Command, open: () => Session): void {
  const withKey = (verb: string, description: string) =>
    projects
      .command(verb)
      .argument('<project>')
      .addArgument(new Argument('<kind>', 'kind of the key').choices(keyKinds))
      .description(description);
  const ofProject = async (
    named: string,
    work: (session: Session, account: Account, project: AccountProject) => Promise<void>,
  ) => {
    const session = open();
    await withAccount(session, async (account) => work(session, account, await account.project(named)));
  };
  withKey(
    'create-key',
    'Create a key of a project, which replaces an earlier one; the key is shown only once',
  )
    .option('-y, --yes', 'replace an earlier key, which then no longer works; without it, the command asks')
    .action((named, kind, { yes }) =>
      ofProject(named, async ({ io, report }, { client }, { id: projectId, name, keys }) => {
        if (keys.includes(kind))
          await confirm(io, yes, `the ${kind} key of ${name} would be replaced, and its users be locked out`);
        report.thing((await client.createKey({ params: { projectId, kind } })).body, (made) => made);
      }),
    );
  withKey('revoke-key', 'Revoke a key of a project')
    .option('-y, --yes', 'revoke; without it, the command asks')
    .action((named, kind, { yes }) =>
      ofProject(named, async ({ io, report }, { client }, { id: projectId, name }) => {
        await confirm(io, yes, `the ${kind} key of ${name} would be revoked`);
        await client.revokeKey({ params: { projectId, kind } });
        report.done(`revoked the ${kind} key of ${name}`, { projectId, kind });
      }),
    );
}
