import type { AccountProject } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import { withAccount } from '../../connection/account.js';
import type { Session } from '../../connection/session.js';
import { allowRename, type ExistingOptions, findEnough, withExistingOptions } from '../../existing.js';
import { addKeys, addMembers } from './project-access.js';

const rowOf = ({ name, role, keys, id }: AccountProject) => ({ name, role, keys: keys.join(', '), id });

/** Adds `projects`. No key may touch projects, so they take the account of check-monitor. */
export function addProjects(program: Command, open: () => Session): void {
  const projects = program
    .command('projects')
    .description(
      'Projects of check-monitor with their members and keys; these commands need your account there',
    );
  projects
    .command('list', { isDefault: true })
    .description('List the projects that you own or are a member of')
    .action(() => listProjects(open()));
  projects
    .command('get [project]')
    .description('Show a project with its members, by name or id; default: the project of the key')
    .action((named) => showProject(open(), named));
  withExistingOptions(projects.command('create <name>'), 'a project')
    .description('Create a project')
    .action((name, options) => createProject(open(), name, options));
  projects
    .command('update <project>')
    .description('Rename a project, by name or id')
    .requiredOption('--name <name>', 'its new name')
    .option('--twin', 'rename it although another project has that name')
    .action(async (named, { name, twin }) => {
      const session = open();
      await withAccount(session, async ({ client, project }) => {
        const { id: projectId } = await project(named);
        const { projects: all } = (await client.listProjects()).body;
        await allowRename(session, all, { id: projectId, name }, { said: 'project', twin });
        session.report.thing(
          (await client.renameProject({ params: { projectId }, body: { name } })).body,
          rowOf,
        );
      });
    });
  projects
    .command('delete <project>')
    .description('Delete a project with its checks and integrations')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action(async (named, { yes }) => {
      const session = open();
      await withAccount(session, async ({ client, project }) => {
        const found = await project(named);
        const params = { projectId: found.id };
        const { checks } = (await client.listAccountChecks({ params })).body;
        await confirm(
          session.io,
          yes,
          `project ${found.name} would be deleted with its ${checks.length} checks`,
        );
        await client.deleteProject({ params });
        session.report.done(`deleted ${found.name}`, found);
      });
    });
  addMembers(projects, open);
  addKeys(projects, open);
}

async function listProjects(session: Session): Promise<void> {
  await withAccount(session, async ({ client }) => {
    const { projects: all } = (await client.listProjects({ query: { include: 'counts' } })).body;
    session.report.list(all, ({ counts, channels, alerts, ...project }) => ({
      ...rowOf(project),
      up: counts?.up,
      down: counts?.down,
      integrations: channels,
      'can send': alerts?.canSend,
      'last delivered': alerts?.lastDeliveredAt,
    }));
  });
}

async function showProject(session: Session, named: string | undefined): Promise<void> {
  await withAccount(session, async ({ client, project }) => {
    const { id: projectId } = await project(named);
    const { body } = await client.getProject({ params: { projectId } });
    const { members } = (await client.listMembers({ params: { projectId } })).body;
    session.report.thing({ ...body, members }, (shown) => ({
      ...rowOf(shown),
      members: members.map(({ email, role }) => `${email} (${role})`).join(', '),
    }));
  });
}

async function createProject(session: Session, name: string, options: ExistingOptions): Promise<void> {
  await withAccount(session, async ({ client }) => {
    const { projects } = (await client.listProjects()).body;
    const same = projects.find((project) => project.name === name);
    const enough = await findEnough(session, same, `a project ${name}`, options);
    if (enough !== undefined) return session.report.thing(enough, rowOf);
    session.report.thing((await client.createProject({ body: { name } })).body, rowOf);
  });
}
