import { Option } from '@commander-js/extra-typings';
import { withAccount } from '../../connection/account.js';
import { readContexts } from '../../connection/contexts.store.js';
import type { Session } from '../../connection/session.js';
import { withPassword } from '../../connection/with-password.js';
import { findFqdn, findSpace, findUser, listFqdnsIn, requireOne } from '../../lookup.js';
import { formatNames } from '../../output/format.js';
import { listAcmeClientsOf } from '../acme-clients/client-lookup.js';
import { expiryDay } from '../certificates/certificate-end.js';
import type { Candidate, Place } from './place.js';

/** Choices of the value that comes next, or what its kind is known to be: names of spaces, of FQDNs and so on. */
export async function valuesOf(session: Session, place: Place): Promise<readonly Candidate[]> {
  const { expected } = place;
  if (expected === undefined) return [];
  if (expected.argChoices !== undefined) return expected.argChoices.map(named);
  const isOption = expected instanceof Option;
  const kind = isOption ? (/[<[]([a-z]+)/.exec(expected.flags)?.[1] ?? '') : expected.name();
  return (await listValues[kind]?.(session, place)) ?? [];
}

type List = (session: Session, place: Place) => Promise<readonly Candidate[]>;

const named = (value: string): Candidate => ({ value });

const listValues: Readonly<Record<string, List>> = {
  format: async () => formatNames.map((name) => named(name.replace('<path>', ''))),
  zone: async () => Intl.supportedValuesOf('timeZone').map(named),
  context: async ({ io }) => Object.keys((await readContexts(io.env)).contexts).map(named),
  space: async ({ manager }) => (await manager.listSpaces()).body.map(({ name }) => named(name)),
  fqdn: listFqdns,
  client: listClients,
  provider: async ({ manager }) =>
    (await manager.listProviders()).body.map(({ name, kind }) => ({ value: name, about: kind })),
  user: async ({ manager }) =>
    (await manager.listUsers()).body.map(({ username, email }) => ({
      value: username,
      about: email,
    })),
  group: async ({ manager }) =>
    (await manager.listPermissionGroups()).body.map(({ name, permission }) => ({
      value: name,
      about: permission,
    })),
  token: listTokens,
  session: listSessions,
  action: listActions,
  job: listJobs,
  certificate: listCertificates,
  target: listTargets,
  check: listChecks,
  integration: listIntegrations,
  integrations: async (session, { typed }) => {
    const chosen = typed.slice(0, typed.lastIndexOf(',') + 1);
    return (await listIntegrations(session)).map((each) => ({ ...each, value: `${chosen}${each.value}` }));
  },
  project: listProjects,
  member: listMembers,
  kind: async (session) =>
    ofAccount(session, async ({ client }) =>
      (await client.listChannelKinds()).body.kinds.map(({ kind, label }) => ({ value: kind, about: label })),
    ),
};

// what a person can choose from
const maxNames = 1000;

async function listFqdns({ manager }: Session, { typed, options }: Place): Promise<Candidate[]> {
  const filter = typed === '' ? {} : { q: typed.toLowerCase() };
  const found = await listFqdnsIn(manager, spaceIn(options), filter, maxNames);
  return found.map(({ fqdn, space }) => ({ value: fqdn, about: space }));
}

function spaceIn(options: Place['options']): string | undefined {
  const space = options.get('--space');
  return space === '*' ? undefined : space;
}

async function listClients(session: Session, { options }: Place): Promise<Candidate[]> {
  const space = spaceIn(options) ?? (await session.connection()).space;
  if (space === undefined) return [];
  return (await listAcmeClientsOf(session, space)).map(({ name, state }) => ({ value: name, about: state }));
}

/** Where the FQDN is that the first argument names. */
async function placeOfFqdn({ manager }: Session, { given, options }: Place) {
  const { id: fqdnId, spaceId } = await findFqdn(manager, given[0] ?? '', spaceIn(options));
  return { manager, params: { spaceId, fqdnId } };
}

async function listCertificates(session: Session, place: Place): Promise<Candidate[]> {
  const { manager, params } = await placeOfFqdn(session, place);
  const { body } = await manager.listCertificates({ params });
  return body.map((certificate) => ({ value: certificate.id, about: `expires ${expiryDay(certificate)}` }));
}

async function listTargets(session: Session, place: Place): Promise<Candidate[]> {
  const { manager, params } = await placeOfFqdn(session, place);
  const { body } = await manager.listTargets({ params });
  return body.map(({ host, port, protocol }) => ({ value: `${host}:${port}`, about: protocol }));
}

/** The newest requests of the default space, else of the first spaces. */
async function listJobs({ manager, connection }: Session): Promise<Candidate[]> {
  const { space } = await connection();
  const spaces = space === undefined ? (await manager.listSpaces()).body : [await findSpace(manager, space)];
  const lists = await Promise.all(
    spaces
      .slice(0, 10)
      .map(({ id: spaceId }) => manager.listIssuanceJobs({ query: { spaceId, limit: '20' } })),
  );
  return lists
    .flatMap(({ body }) => body)
    .map(({ id, status, createdAt }) => ({ value: id, about: `${status}, ${createdAt}` }));
}

async function listChecks({ monitor }: Session): Promise<Candidate[]> {
  const { checks } = (await monitor.listChecks()).body;
  return checks.flatMap((check) => {
    const value = check.name || check.slug || ('uuid' in check ? check.uuid : '');
    return value === '' ? [] : [{ value, about: check.status }];
  });
}

async function listIntegrations({ monitor }: Session): Promise<Candidate[]> {
  const { channels } = (await monitor.listChannels()).body;
  return channels.map(({ name, kind, id }) => ({ value: name || id, about: kind }));
}

/** Returns the tokens of the named user, else your own; without the password, only administrators may list them. */
async function listTokens({ manager }: Session, { options }: Place): Promise<Candidate[]> {
  const user = options.get('--user');
  const { id } = user === undefined ? (await manager.getMe()).body.user : await findUser(manager, user);
  const { body } = await manager.listUserApiTokens({ params: { id } });
  return body.map((token) => ({ value: token.name || token.id, about: token.scope }));
}

/** Yours where the file of CERTLOOP_CREDENTIALS has your password, since only a session may list them. */
async function listSessions(session: Session): Promise<Candidate[]> {
  const password = (await session.connection()).certManager?.password;
  if (password === undefined) return [];
  let found: Candidate[] = [];
  const io = { ...session.io, askSecret: async () => password };
  await withPassword({ ...session, io }, undefined, async ({ manager, headers }) => {
    const { body } = await manager.listSessions({ headers });
    found = body
      .filter(({ isCurrent }) => !isCurrent)
      .map(({ id, createdAt }) => ({ value: id, about: `since ${createdAt}` }));
  });
  return found;
}

/** Returns the actions of the newest entries, each also as all of its resource, such as `fqdn.*`. */
async function listActions({ manager }: Session): Promise<Candidate[]> {
  const { logs } = (await manager.listAuditLogs({ query: { limit: String(maxNames) } })).body;
  return logs.flatMap(({ action }) => [action, action.replace(/\..*/, '.*')]).map(named);
}

/** All of the account where its password is known, else that of the key. */
async function listProjects(session: Session): Promise<Candidate[]> {
  const own = await ofAccount(session, async ({ client }) =>
    (await client.listProjects()).body.projects.map(({ name, id, role }) => ({
      value: name || id,
      about: role,
    })),
  );
  if (own.length > 0) return own;
  const { name, id } = (await session.monitor.getOwnKey()).body.project;
  return [named(name || id)];
}

function listMembers(session: Session, { given }: Place): Promise<Candidate[]> {
  return ofAccount(session, async ({ client }) => {
    const [project = ''] = given;
    const { projects } = (await client.listProjects()).body;
    const matching = projects.filter(({ id, name }) => [id, name].includes(project));
    const params = { projectId: requireOne(matching, project, 'project').id };
    return (await client.listMembers({ params })).body.members.map(({ email, role }) => ({
      value: email,
      about: role,
    }));
  });
}

/** Returns what needs the account of check-monitor; nothing where its password would have to be asked for. */
async function ofAccount(
  session: Session,
  list: (account: Parameters<Parameters<typeof withAccount>[1]>[0]) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  if ((await session.connection()).checkMonitor?.password === undefined) return [];
  let found: Candidate[] = [];
  await withAccount(session, async (account) => {
    found = await list(account);
  });
  return found;
}
