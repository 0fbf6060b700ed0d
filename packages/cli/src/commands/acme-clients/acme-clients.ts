import type { AcmeClient } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { withIfNotExists } from '../../existing.js';
import { findSpace } from '../../lookup.js';
import { changeClient, createClient, rekeyClient } from './change-client.js';
import { clientRow, findAcmeClient, listAcmeClientsOf } from './client-lookup.js';
import { withClientOptions } from './client-options.js';
import { addLineages } from './lineages.js';
import { addRegister } from './register.js';
import { withNewClientOptions, withSetupOptions } from './setup-options.js';
import { addTest } from './test.js';

/** Adds `acme-clients`. */
export function addAcmeClients(program: Command, open: () => Session): void {
  const clients = program
    .command('acme-clients')
    .description('Keys by which certbot, lego, Caddy, Kubernetes and others get certificates of a space');
  clients
    .command('list', { isDefault: true })
    .description('List the ACME clients of a space, with who uses them')
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .action(async ({ space }) => {
      const session = open();
      session.report.list(await listAcmeClientsOf(session, space), clientRow, { wide: ['address', 'id'] });
    });
  clients
    .command('get <client>')
    .description('Show an ACME client, by name or id: what it may do, and which machines use it')
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .action(async (named, { space }) => showClient(open(), named, space));
  addChanges(clients, open);
  clients
    .command('delete <client>')
    .description('Delete an ACME client: its key and its accounts end at once, its certificates stay')
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .option('-y, --yes', 'delete; without it, the command asks')
    .action((named, options) => deleteClient(open(), named, options));
  addLineages(clients, open);
  addTest(clients, open);
  addRegister(clients, open);
}

function addChanges(clients: Command, open: () => Session): void {
  const create = withIfNotExists(clients.command('create <name>'), 'an ACME client')
    .description('Create an ACME client; its key is shown only once. -o certbot prints commands for certbot')
    .requiredOption('-s, --space <space>', 'name or id of the space');
  withNewClientOptions(create).action((name, options) => createClient(open(), name, options));
  const update = clients
    .command('update <client>')
    .description('Change an ACME client; settings without an option stay unchanged')
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .option('--name <name>', 'its new name')
    .option('--any-provider', 'no provider of its own: that of the FQDN, else the built-in one for ACME')
    .option('--from-anywhere', 'accept it from every address')
    .option('--never-expires', 'accept it without an end');
  withClientOptions(update).action((named, options) => changeClient(open(), named, options));
  const rekey = clients
    .command('rekey <client>')
    .description('Replace the key of an ACME client at once; machines that have registered go on')
    .requiredOption('-s, --space <space>', 'name or id of the space')
    .option('-y, --yes', 'replace it; without it, the command asks');
  withSetupOptions(rekey).action((named, options) => rekeyClient(open(), named, options));
}

async function showClient(session: Session, named: string, space: string): Promise<void> {
  const client = await findAcmeClient(session, named, space);
  const { manager, report } = session;
  const params = { spaceId: client.spaceId, id: client.id };
  const { body } = await manager.getAcmeClient({ params });
  report.thing(body, (shown) => ({ ...clientRow(shown), ...permissionsOf(shown), ...machinesOf(shown) }));
}

function permissionsOf(client: AcmeClient) {
  const { names, allowedCidrs, expiresAt } = client;
  return {
    'may have':
      names === null
        ? 'all names of the issuance policy'
        : [...names.suffixes.map((suffix) => `${suffix} and below`), ...names.names, ...names.cidrs].join(
            ', ',
          ),
    ...(names !== null && { wildcards: names.wildcards ? 'yes' : 'no' }),
    provider: client.providerId ?? 'that of the FQDN',
    'adds FQDNs': client.createFqdns ? 'yes' : 'no',
    'takes FQDNs over': client.mayTakeOver ? 'yes' : 'no',
    from: allowedCidrs.length === 0 ? 'anywhere' : allowedCidrs.join(', '),
    expires: expiresAt?.slice(0, 10) ?? 'never',
    'orders a day': client.maxOrdersPerDay,
    'accounts at most': client.maxAccounts,
    kid: client.kid,
    directory: client.directoryUrl,
    'key since': client.keyChangedAt,
    'created by': client.createdBy.username,
  };
}

function machinesOf({ use }: AcmeClient) {
  if (use === undefined) return {};
  const machines = use.accounts.map(
    ({ userAgent, ipAddress, lastSeenAt, status }) =>
      `${userAgent === '' ? 'unknown' : userAgent} from ${ipAddress}, ${lastSeenAt}${status === 'valid' ? '' : `, ${status}`}`,
  );
  return { machines: machines.join('; '), names: use.fqdns.map(({ fqdn }) => fqdn).join(', ') };
}

async function deleteClient(
  session: Session,
  named: string,
  { space, yes }: { readonly space: string; readonly yes?: true },
): Promise<void> {
  const { io, manager, report } = session;
  const { id: spaceId, name } = await findSpace(manager, space);
  const client = await findAcmeClient(session, named, spaceId);
  const machines = client.use?.accountCount ?? 0;
  const loss = `ACME client ${client.name} of ${name} would be deleted: ${machines === 0 ? 'no machine uses it' : `${machines} ${machines === 1 ? 'account ends' : 'accounts end'}, and their machines can no longer renew`}`;
  await confirm(io, yes, loss);
  const { body } = await manager.deleteAcmeClient({ params: { spaceId, id: client.id } });
  report.done(body.message, client);
}
