import type { AcmeClient } from '@certloop/contracts';
import { readPages } from '../../connection/pages.js';
import type { Session } from '../../connection/session.js';
import { findSpace, requireOne } from '../../lookup.js';

/** All ACME clients of a space, by name or id of the space. */
export async function listAcmeClientsOf(
  { manager }: Pick<Session, 'manager'>,
  space: string,
): Promise<readonly AcmeClient[]> {
  const { id: spaceId } = await findSpace(manager, space);
  return readPages<AcmeClient>((cursor) =>
    manager.listAcmeClients({ params: { spaceId }, query: { limit: '100', cursor } }),
  );
}

/** The ACME client of a space that has this name or id. */
export async function findAcmeClient(
  session: Pick<Session, 'manager'>,
  named: string,
  space: string,
): Promise<AcmeClient> {
  const all = await listAcmeClientsOf(session, space);
  return requireOne(
    all.filter(({ id, name }) => id === named || name === named),
    named,
    'ACME client',
    'certloop acme-clients lists those of a space',
  );
}

/** Facts of an ACME client in a list. */
export function clientRow({ name, state, use, id }: AcmeClient) {
  const [last] = use?.accounts ?? [];
  const order = use?.lastOrder;
  return {
    name,
    state,
    'last seen': use?.lastSeenAt ?? 'never',
    program: last?.userAgent.split(' ')[0] ?? '',
    address: last?.ipAddress ?? '',
    fqdns: use?.fqdnCount ?? 0,
    'last order': order === undefined ? '' : `${order.state}, ${order.names[0] ?? ''}`,
    id,
  };
}
