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
import { readPages } from './connection/pages.js';
import type { Manager, Monitor } from './connection/session.js';
import { UsageError } from './faults/command-errors.js';

/**
 * The one thing that has this name; `said` names the kind in the error, `hint` where to find them. Throws NotFound, or
 * UsageError for several.
 */
export function requireOne<T extends { readonly id: string }>(
  found: readonly T[],
  name: string,
  said: string,
  hint = `certloop ${said.toLowerCase()}s lists those that you may see`,
): T {
  const [first, ...others] = found;
  if (first === undefined) throw new NotFound(`there is no ${said} ${name}; ${hint}`);
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw new UsageError(`more than one ${said} is named ${name}; choose one by its id: ${ids}`);
}

/** By id or by name; names need not differ. */
export async function findSpace(manager: Manager, named: string): Promise<Space> {
  const { body } = await manager.listSpaces();
  const byId = body.filter(({ id }) => id === named);
  return requireOne(byId.length > 0 ? byId : body.filter(({ name }) => name === named), named, 'space');
}

/** By id or by name. */
export async function findUser(manager: Manager, named: string): Promise<User> {
  const { body } = await manager.listUsers();
  return requireOne(
    body.filter(({ id, username }) => id === named || username === named),
    named,
    'user',
  );
}

/** A permission group by id or by name; names need not differ. */
export async function findGroup(manager: Manager, named: string): Promise<PermissionGroup> {
  const { body } = await manager.listPermissionGroups();
  const byId = body.filter(({ id }) => id === named);
  return requireOne(byId.length > 0 ? byId : body.filter(({ name }) => name === named), named, 'group');
}

export async function findProvider(manager: Manager, named: string): Promise<Provider> {
  const { body } = await manager.listProviders();
  return requireOne(
    body.filter(({ id, name }) => id === named || name === named),
    named,
    'provider',
  );
}

/** Which FQDNs of a list, and in which order, as `GET /fqdns` takes it. */
export type FqdnFilter = Omit<
  NonNullable<NonNullable<Parameters<Manager['listAllFqdns']>[0]>['query']>,
  'spaceId' | 'limit' | 'cursor'
>;

// the longest page that cert-manager returns
const pageSize = 1000;

/** FQDNs of one space, or of all that may be read, each with its space's name; at most `max`. */
export async function listFqdnsIn(
  manager: Manager,
  space: string | undefined,
  filter: FqdnFilter = {},
  max = Number.POSITIVE_INFINITY,
) {
  const spaces = space === undefined ? (await manager.listSpaces()).body : [await findSpace(manager, space)];
  const names = new Map(spaces.map(({ id, name }) => [id, name]));
  const spaceId = space === undefined ? undefined : spaces[0]?.id;
  const limit = String(Math.min(max, pageSize));
  const found = await readPages<Fqdn>(
    (cursor) => manager.listAllFqdns({ query: { ...filter, spaceId, limit, cursor } }),
    max,
  );
  return found.map((fqdn) => ({ ...fqdn, space: names.get(fqdn.spaceId) ?? fqdn.spaceId }));
}

/** By host name or id, in one space or wherever it is. */
export async function findFqdn(manager: Manager, named: string, space: string | undefined) {
  return requireOne(await findFqdns(manager, named, space), named, 'FQDN');
}

/** All that have the host name or id. */
export async function findFqdns(manager: Manager, named: string, space: string | undefined) {
  const wanted = hostname(named);
  const filter = isId(named) ? {} : { q: wanted.slice(0, maxNameLength) };
  const found = await listFqdnsIn(manager, space, filter);
  return found.filter(({ id, fqdn }) => id === named || fqdn === wanted);
}

// the longest name of a host (RFC 1035, section 2.3.4)
const maxNameLength = 253;

function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
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
  const { id: uuid } = requireOne(
    found.map((check) => ({ id: check.uuid })),
    named,
    'check',
  );
  return found.find((check) => check.uuid === uuid) as Check;
}
