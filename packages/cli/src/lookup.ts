import { domainToASCII } from 'node:url';
import {
  type Check,
  type Fqdn,
  NotFound,
  type PermissionGroup,
  type Provider,
  type Space,
  type User,
} from '@certloop/contracts';
import pLimit from 'p-limit';
import type { Manager, Monitor } from './connection/session.js';
import { UsageError } from './usage-error.js';

/** The one thing that has this name; `said` names the kind in the error. Throws NotFound, or UsageError for several. */
export function only<T extends { readonly id: string }>(found: readonly T[], name: string, said: string): T {
  const [first, ...others] = found;
  if (first === undefined)
    throw new NotFound(
      `there is no ${said} ${name}; certloop ${said.toLowerCase()}s lists those that you may see`,
    );
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw new UsageError(`more than one ${said} is named ${name}; say which by its id: ${ids}`);
}

/** By id or by name; names need not differ. */
export async function findSpace(manager: Manager, named: string): Promise<Space> {
  const { body } = await manager.listSpaces();
  const byId = body.filter(({ id }) => id === named);
  return only(byId.length > 0 ? byId : body.filter(({ name }) => name === named), named, 'space');
}

/** By id or by name. */
export async function findUser(manager: Manager, named: string): Promise<User> {
  const { body } = await manager.listUsers();
  return only(
    body.filter(({ id, username }) => id === named || username === named),
    named,
    'user',
  );
}

/** A permission group by id or by name; names need not differ. */
export async function findGroup(manager: Manager, named: string): Promise<PermissionGroup> {
  const { body } = await manager.listPermissionGroups();
  const byId = body.filter(({ id }) => id === named);
  return only(byId.length > 0 ? byId : body.filter(({ name }) => name === named), named, 'group');
}

export async function findProvider(manager: Manager, named: string): Promise<Provider> {
  const { body } = await manager.listProviders();
  return only(
    body.filter(({ id, name }) => id === named || name === named),
    named,
    'provider',
  );
}

/** FQDNs of one space, or of all that may be read, each with its space's name. */
export async function listFqdnsIn(manager: Manager, space: string | undefined) {
  const spaces = space === undefined ? (await manager.listSpaces()).body : [await findSpace(manager, space)];
  const lists = await pLimit(4).map(spaces, async ({ id, name }) => {
    const { body } = await manager.listFqdns({ params: { id } });
    return body.map((fqdn: Fqdn) => ({ ...fqdn, space: name }));
  });
  return lists.flat();
}

/** By host name or id, in one space or wherever it is. */
export async function findFqdn(manager: Manager, named: string, space: string | undefined) {
  return only(await findFqdns(manager, named, space), named, 'FQDN');
}

/** All that have the host name or id. */
export async function findFqdns(manager: Manager, named: string, space: string | undefined) {
  const wanted = hostname(named);
  const all = await listFqdnsIn(manager, space);
  return all.filter(({ id, fqdn }) => id === named || fqdn === wanted);
}

/** As cert-manager keeps it: ASCII (RFC 5891) in lower case, without the final dot. */
function hostname(typed: string): string {
  return (domainToASCII(typed) || typed.toLowerCase()).replace(/\.$/, '');
}

/** By uuid, slug or name. Throws UsageError for no name at all: checks without a slug or a name would answer to it. */
export async function findCheck(monitor: Monitor, named: string): Promise<Check> {
  if (named.trim() === '') throw new UsageError('the name of the check is empty');
  const { checks } = (await monitor.listChecks()).body;
  const mine = checks.filter((check): check is Check => 'uuid' in check);
  if (mine.length < checks.length)
    throw new UsageError('CERTLOOP_MONITOR_KEY is a read-only key; this needs a read-write one');
  const found = mine.filter(({ uuid, slug, name }) => [uuid, slug, name].includes(named));
  const { id: uuid } = only(
    found.map((check) => ({ id: check.uuid })),
    named,
    'check',
  );
  return found.find((check) => check.uuid === uuid) as Check;
}
