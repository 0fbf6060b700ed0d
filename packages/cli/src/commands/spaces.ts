import type { Space } from '@certloop/contracts';
import type { Command } from 'commander';
import { findSpace } from '../lookup.js';
import type { Session } from '../session.js';
import { addSpacePolicy } from './space-policy.js';

const rowOf = ({ name, description, createdAt, id }: Space) => ({
  name,
  description,
  created: createdAt.slice(0, 10),
  id,
});

/** Adds `spaces`. */
export function addSpaces(program: Command, open: () => Session): void {
  const spaces = program.command('spaces').description('Spaces: list, create, delete, issuance policy');
  spaces
    .command('list', { isDefault: true })
    .description('List the spaces that you may read')
    .action(async () => {
      const { report, manager } = open();
      report.list((await (await manager()).listSpaces()).body, rowOf);
    });
  spaces
    .command('create <name>')
    .description('Create a space')
    .option('--description <text>', 'what it is for')
    .action(async (name: string, { description }: { description?: string }) => {
      const { report, manager } = open();
      const body = { name, ...(description !== undefined && { description }) };
      report.thing((await (await manager()).createSpace({ body })).body, rowOf);
    });
  spaces
    .command('delete <space>')
    .description('Delete a space, by name or id')
    .option('--with-fqdns', 'also when it holds FQDNs, and them with it')
    .action(async (named: string, { withFqdns = false }: { withFqdns?: boolean }) => {
      const { report, manager } = open();
      const client = await manager();
      const space = await findSpace(client, named);
      const query = withFqdns ? { deleteFqdns: 'true' as const } : {};
      const { body } = await client.deleteSpace({ params: { id: space.id }, query });
      report.done(body.message, space);
    });
  addSpacePolicy(spaces, open);
}
