import { policyPresences, type Space } from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { confirm } from '../confirm.js';
import type { Session } from '../connection/session.js';
import {
  allowRename,
  type ExistingOptions,
  findEnough,
  withExistingOptions,
  withNewName,
} from '../existing.js';
import { UsageError } from '../faults/command-errors.js';
import { findSpace } from '../lookup.js';
import { addSpacePolicy } from './space-policy.js';

const rowOf = ({ name, description, createdAt, id }: Space) => ({
  name,
  description,
  created: createdAt.slice(0, 10),
  id,
});

/** Adds `spaces`. */
export function addSpaces(program: Command, open: () => Session): void {
  const spaces = program
    .command('spaces')
    .description('Spaces: list, get, create, update, delete; their issuance policy');
  spaces
    .command('list', { isDefault: true })
    .description('List the spaces that you may read')
    .addOption(
      new Option(
        '--policy <policy>',
        'only those that an issuance policy limits, or that none limits',
      ).choices(policyPresences),
    )
    .action(async (query) => {
      const { report, manager } = open();
      report.list((await manager.listSpaces({ query })).body, rowOf);
    });
  spaces
    .command('get <space>')
    .description('Show a space and what you may do in it, by name or id')
    .action(async (named) => {
      const { report, manager } = open();
      const { id } = await findSpace(manager, named);
      const { count } = (await manager.countFqdns({ params: { id } })).body;
      const { body } = await manager.getSpace({ params: { id } });
      report.thing(body, (space) => ({ ...rowOf(space), level: space.level, fqdns: count }));
    });
  withExistingOptions(spaces.command('create <name>'), 'a space')
    .description('Create a space')
    .option('--description <text>', 'what it is for')
    .action((name, options) => createSpace(open(), name, options));
  withNewName(spaces.command('update <space>'))
    .description('Change a space; settings without an option stay unchanged')
    .option('--description <text>', 'what it is for')
    .addOption(new Option('--watch <switch>', 'whether the monitor watches its FQDNs').choices(['on', 'off']))
    .action((named, options) => updateSpace(open(), named, options));
  spaces
    .command('delete <space>')
    .description('Delete a space, by name or id')
    .option('--with-fqdns', 'delete its FQDNs too; without it, a space that has FQDNs is not deleted')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action((named, options) => deleteSpace(open(), named, options));
  addSpacePolicy(spaces, open);
}

interface SpaceDeletion {
  readonly withFqdns?: true;
  readonly yes?: true;
}

async function deleteSpace(
  session: Session,
  named: string,
  { withFqdns, yes }: SpaceDeletion,
): Promise<void> {
  const { io, report, manager } = session;
  const space = await findSpace(manager, named);
  const params = { id: space.id };
  const { count } = (await manager.countFqdns({ params })).body;
  if (count > 0 && withFqdns !== true)
    throw new UsageError(
      `space ${space.name} has ${countOf(count)}; add --with-fqdns to delete them too, with their CSRs and certificates`,
    );
  const loss =
    count === 0
      ? `space ${space.name}, which has no FQDNs, would be deleted`
      : `space ${space.name} would be deleted with its ${countOf(count)}, their CSRs, certificates and checks`;
  await confirm(io, yes, loss);
  const query = withFqdns === true ? { deleteFqdns: 'true' as const } : {};
  const { body } = await manager.deleteSpace({ params, query });
  report.done(body.message, space);
}

const countOf = (count: number) => (count === 1 ? '1 FQDN' : `${count} FQDNs`);

interface NewSpace extends ExistingOptions {
  readonly description?: string;
}

async function createSpace(session: Session, name: string, options: NewSpace): Promise<void> {
  const { report, manager } = session;
  const same = (await manager.listSpaces()).body.find((space) => space.name === name);
  const enough = await findEnough(session, same, `a space ${name}`, options);
  if (enough !== undefined) return report.thing(enough, rowOf);
  const { description } = options;
  const body = { name, ...(description !== undefined && { description }) };
  report.thing((await manager.createSpace({ body })).body, rowOf);
}

interface SpaceChange {
  readonly name?: string;
  readonly description?: string;
  readonly watch?: 'on' | 'off';
  readonly twin?: true;
}

async function updateSpace(session: Session, named: string, change: SpaceChange): Promise<void> {
  const { report, manager } = session;
  const { name, description, watch, twin } = change;
  const body = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
  if (Object.keys(body).length === 0 && watch === undefined)
    throw new UsageError('name what is to change: --name, --description or --watch');
  const { id } = await findSpace(manager, named);
  const params = { id };
  if (name !== undefined)
    await allowRename(session, (await manager.listSpaces()).body, { id, name }, { said: 'space', twin });
  if (watch !== undefined) await manager.setWatchEnabled({ params, body: { watchEnabled: watch === 'on' } });
  if (Object.keys(body).length > 0) await manager.updateSpace({ params, body });
  report.thing((await manager.getSpace({ params })).body, rowOf);
}
