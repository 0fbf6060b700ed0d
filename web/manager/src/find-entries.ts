import {
  type AuditLog,
  type CertificateSearch,
  certificateSearchOf,
  type FoundCertificate,
} from '@certloop/contracts/browser';
import { dayOf, hostText, type PaletteEntry, statusOf } from '@certloop/web-kit';
import { endOf } from './certificate-end.js';
import { api } from './service.js';

/** Returns what the user may read whose name has the text, or whose id, serial number or fingerprint it is. */
export async function findEntries(
  text: string,
  signal: AbortSignal,
  isAdmin: boolean,
): Promise<readonly PaletteEntry[]> {
  const search = certificateSearchOf(text);
  if (search !== undefined && 'id' in search) return findById(search.id, signal, isAdmin);
  const [certificates, fqdns, spaces, users] = await Promise.all([
    search === undefined ? [] : findCertificates(search, signal),
    api.listAllFqdns({ query: { q: text, sort: 'fqdn', limit: '8' }, signal }),
    api.listSpaces({ query: { q: text.slice(0, 100), sort: 'name', limit: '5' }, signal }),
    isAdmin ? api.listUsers({ query: { q: text.slice(0, 100), limit: '5' }, signal }) : { body: [] },
  ]);
  return [
    ...certificates.map(certificateEntry),
    ...fqdns.body.map(({ id, spaceId, fqdn }) => fqdnEntry(fqdn, spaceId, id)),
    ...spaces.body.map(({ id, name }) => spaceEntry(name, id)),
    ...users.body.map(({ id, username }) => ({
      key: id,
      label: username,
      detail: 'user',
      path: `/users/${id}`,
    })),
  ];
}

async function findCertificates(
  search: CertificateSearch,
  signal: AbortSignal,
): Promise<readonly FoundCertificate[]> {
  return (await api.findCertificates({ query: { ...search, limit: '8' }, signal })).body;
}

/** The thing with this id: a certificate, a space, a provider, a request, a user or a group, or a name that was logged. */
async function findById(id: string, signal: AbortSignal, isAdmin: boolean): Promise<readonly PaletteEntry[]> {
  const params = { id };
  const [certificates, space, job, providers, log, user, group] = await Promise.all([
    findCertificates({ id }, signal),
    unlessMissing(api.getSpace({ params, signal })),
    unlessMissing(api.getIssuanceJob({ params, signal })),
    unlessMissing(api.listProviders({ signal })),
    unlessMissing(api.listAuditLogs({ query: { resourceId: id, limit: '20' }, signal })),
    isAdmin ? unlessMissing(api.getUser({ params, signal })) : undefined,
    isAdmin ? unlessMissing(api.getPermissionGroup({ params, signal })) : undefined,
  ]);
  if (certificates.length > 0) return certificates.map(certificateEntry);
  if (space !== undefined) return [spaceEntry(space.body.name, id)];
  if (job !== undefined) {
    const { spaceId, fqdnId } = job.body;
    const path = `/spaces/${spaceId}/fqdns/${fqdnId}?job=${id}`;
    return [{ key: id, label: id, detail: 'request', path }];
  }
  const provider = providers?.body.find((one) => one.id === id);
  if (provider !== undefined) return [entryOf(id, provider.displayName, 'provider', `/providers/${id}`)];
  if (user !== undefined) return [entryOf(id, user.body.username, 'user', `/users/${id}`)];
  if (group !== undefined) return [entryOf(id, group.body.name, 'group', `/groups/${id}`)];
  return findLogged(id, log?.body.logs ?? [], signal);
}

/** The name that these entries of the audit log are about. */
async function findLogged(
  id: string,
  entries: readonly AuditLog[],
  signal: AbortSignal,
): Promise<readonly PaletteEntry[]> {
  for (const { resourceType, details } of entries) {
    const { spaceId } = details;
    if (resourceType !== 'fqdn' || typeof spaceId !== 'string') continue;
    const fqdn = await unlessMissing(api.getFqdn({ params: { id: spaceId, fqdnId: id }, signal }));
    return fqdn === undefined ? [] : [fqdnEntry(fqdn.body.fqdn, spaceId, id)];
  }
  return [];
}

function entryOf(key: string, label: string, detail: string, path: string): PaletteEntry {
  return { key, label, detail, path };
}

async function unlessMissing<Reply>(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    const status = statusOf(error);
    if (status === 404 || status === 403) return undefined;
    throw error;
  }
}

function fqdnEntry(label: string, spaceId: string, id: string): PaletteEntry {
  return { key: id, label: hostText(label), detail: 'name', path: `/spaces/${spaceId}/fqdns/${id}` };
}

function spaceEntry(label: string, id: string): PaletteEntry {
  return { key: id, label, detail: 'space', path: `/spaces/${id}` };
}

function certificateEntry(certificate: FoundCertificate): PaletteEntry {
  const { id, spaceId, fqdnId, fqdn, issuer, replacedAt, revokedAt } = certificate;
  const state = revokedAt === undefined ? (replacedAt === undefined ? '' : 'replaced ') : 'revoked ';
  return {
    key: id,
    label: `${hostText(fqdn)}, until ${dayOf(endOf(certificate))}`,
    detail: `${state}certificate of ${issuer}`,
    path: `/spaces/${spaceId}/fqdns/${fqdnId}/certificates/${id}`,
  };
}
