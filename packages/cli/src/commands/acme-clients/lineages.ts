import type { AcmeLineage, Fqdn } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import type { Session } from '../../connection/session.js';
import { findFqdn, requireOne } from '../../lookup.js';

/** Adds `acme-clients lineages` and `acme-clients release`. */
export function addLineages(clients: Command, open: () => Session): void {
  clients
    .command('lineages <fqdn>')
    .description('List which machines renew a host name by ACME, those that need people first')
    .option('-s, --space <space>', 'name or id of its space, where several have the host name')
    .action(async (named, { space }) => {
      const session = open();
      const { lineages } = await lineagesOf(session, named, space);
      session.report.list(lineages, lineageRow, { wide: ['message', 'lineage'] });
    });
  clients
    .command('release <fqdn> <machine>')
    .description('Report that a machine is gone, so that no renewal by it is expected until it orders again')
    .option('-s, --space <space>', 'name or id of its space, where several have the host name')
    .option('-y, --yes', 'report it; without it, the command asks')
    .action((named, machine, options) => releaseMachine(open(), named, machine, options));
}

async function lineagesOf(
  { manager }: Pick<Session, 'manager'>,
  named: string,
  space: string | undefined,
): Promise<{ readonly fqdn: Fqdn; readonly lineages: readonly AcmeLineage[] }> {
  const fqdn = await findFqdn(manager, named, space);
  const params = { spaceId: fqdn.spaceId, fqdnId: fqdn.id };
  const { body: lineages } = await manager.listLineages({ params, query: { limit: '1000' } });
  return { fqdn, lineages };
}

async function releaseMachine(
  session: Session,
  named: string,
  machine: string,
  { space, yes }: { readonly space?: string | undefined; readonly yes?: true | undefined },
): Promise<void> {
  const { io, manager, report } = session;
  const { fqdn, lineages } = await lineagesOf(session, named, space);
  const { lineage, message } = requireOne(
    lineages.filter((one) => isNamed(one, machine)).map((one) => ({ ...one, id: one.lineage })),
    machine,
    'machine',
    'certloop acme-clients lineages lists those of a host name',
  );
  await confirm(io, yes, `no renewal of ${fqdn.fqdn} would be expected of this machine any more: ${message}`);
  const params = { spaceId: fqdn.spaceId, fqdnId: fqdn.id, lineage };
  const { body } = await manager.releaseLineage({ params });
  report.done(body.message, body);
}

/** Whether a text names the lineage: by its client, its address, or at least eight digits of its identifier. */
function isNamed({ lineage, client, lastSeenFrom }: AcmeLineage, text: string): boolean {
  return client.name === text || lastSeenFrom === text || (text.length >= 8 && lineage.startsWith(text));
}

function lineageRow({ client, agent, state, expectedAt, ...one }: AcmeLineage) {
  return {
    client: client.name ?? client.id,
    program: agent ?? '',
    from: one.lastSeenFrom,
    'last seen': one.lastSeenAt,
    state,
    'renews by': expectedAt ?? 'never',
    expires: one.certificate.expiresAt,
    machine: one.lineage.slice(0, 12),
    message: one.message,
    lineage: one.lineage,
  };
}
