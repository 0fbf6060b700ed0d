import { NotFound } from '@certloop/contracts';
import {
  column,
  defineTable,
  executeSql,
  findRow,
  lockForShare,
  placeholders,
  querySql,
  type RowOf,
  type Tx,
  updateRows,
} from '@certloop/db';
import { isStorable, isUuid } from '../storable-text.js';
import { type ApiKey, apiKeys } from './api-keys.repository.js';
import { hashesOf, openText, sealText } from './sealing/sealing.store.js';

/** A project with its ping key in clear. */
export type NewProject = Omit<Project, 'pingKeyHash' | 'sealedPingKey'>;

export const projects = defineTable('projects', {
  columns: {
    id: column.uuid().primary(),
    ownerId: column.uuid(),
    name: column.word(200),
    /** Names the project in badge addresses: a uuid, but for projects that came from Healthchecks. */
    badgeKey: column.word(150),
    /** In clear, until the service has encrypted it. */
    pingKey: column.word(64).nullable(),
    /** By which an encrypted ping key is found. */
    pingKeyHash: column.word(64).nullable(),
    sealedPingKey: column.text().nullable(),
    createdAt: column.preciseInstant(),
  },
  indexes: [
    { columns: ['ownerId', 'name'] },
    { columns: ['badgeKey'], unique: true },
    { columns: ['pingKey'], unique: true },
    { columns: ['pingKeyHash'], unique: true },
  ],
  references: [{ columns: ['ownerId'], table: 'users', onDelete: 'RESTRICT' }],
});

export type Project = RowOf<typeof projects>;

/** Project that a key opens, and what kind of key it is. */
export async function findProjectByKeyHash(
  tx: Tx,
  hash: string,
): Promise<(Project & Pick<ApiKey, 'kind'>) | undefined> {
  // it begins with characters of the key as given, which may be such that PostgreSQL refuses to compare them
  if (!isStorable(hash)) return undefined;
  const columns = { ...projects.columns, kind: apiKeys.columns.kind };
  const [found] = await querySql(
    tx,
    columns,
    `select p.*, k.kind from api_keys k join projects p on p.id = k.project_id where k.hash = $1`,
    [hash],
  );
  return found;
}

export async function findProjectByPingKey(tx: Tx, pingKey: string): Promise<Project | undefined> {
  const hashes = hashesOf(tx, pingKeyColumn, pingKey);
  const sealed = hashes.length === 0 ? undefined : await findRow(tx, projects, { pingKeyHash: hashes });
  return sealed ?? (await findRow(tx, projects, { pingKey }));
}

export function hasPingKey({ pingKey, sealedPingKey }: Project): boolean {
  return pingKey !== null || sealedPingKey !== null;
}

/** Ping key of the project; null if it has none. Throws SecretUnreadable. */
export function openPingKey(tx: Tx, { id, pingKey, sealedPingKey }: Project): string | null {
  return sealedPingKey === null ? pingKey : openText(tx, pingKeyPlace(id), sealedPingKey);
}

/** Returns the columns of a project that has this ping key. */
export function pingKeyColumns(
  tx: Tx,
  id: string,
  pingKey: string | null,
): Pick<Project, 'pingKey' | 'pingKeyHash' | 'sealedPingKey'> {
  const sealed = pingKey === null ? undefined : sealText(tx, pingKeyPlace(id), pingKey);
  if (pingKey === null || sealed === undefined) return { pingKey, pingKeyHash: null, sealedPingKey: null };
  const [hash = null] = hashesOf(tx, pingKeyColumn, pingKey);
  return { pingKey: null, pingKeyHash: hash, sealedPingKey: sealed };
}

const pingKeyColumn = { table: 'projects', column: 'ping_key' };

function pingKeyPlace(id: string) {
  return { ...pingKeyColumn, rowId: id };
}

/** Condition by which a project has the ping key, from the placeholder `$<first>` on, and its values. */
export function whereKeyPings(
  tx: Tx,
  pingKey: string,
  first: number,
): { readonly text: string; readonly values: readonly string[] } {
  const hashes = hashesOf(tx, pingKeyColumn, pingKey);
  const sealed = `select id from projects where ping_key_hash in (${placeholders(hashes.length, first + 1)}) union all `;
  const clear = `select id from projects where ping_key = $${first}`;
  return { text: `in (${hashes.length === 0 ? '' : sealed}${clear})`, values: [pingKey, ...hashes] };
}

export async function findProjectByBadgeKey(tx: Tx, badgeKey: string): Promise<Project | undefined> {
  if (!isStorable(badgeKey)) return undefined;
  return (await tx.findOneBy(projects, { badgeKey })) ?? undefined;
}

async function findProject(tx: Tx, id: string): Promise<Project | undefined> {
  const uuid = id.toLowerCase();
  return isUuid(uuid) ? ((await tx.findOneBy(projects, { id: uuid })) ?? undefined) : undefined;
}

/** Throws NotFound when there is no such project. */
export async function getProject(tx: Tx, id: string): Promise<Project> {
  const found = await findProject(tx, id);
  if (found === undefined) throw new NotFound(`there is no project ${id}`);
  return found;
}

/** The project, locked against deletion until the transaction ends; for callers that add something to it. */
export async function findProjectForShare(tx: Tx, id: string): Promise<Project | undefined> {
  const uuid = id.toLowerCase();
  const [locked] = isUuid(uuid) ? await lockForShare(tx, projects, { id: uuid }) : [];
  return locked;
}

/** The same; throws NotFound if there is none. */
export async function lockProjectForShare(tx: Tx, id: string): Promise<Project> {
  const locked = await findProjectForShare(tx, id);
  if (locked === undefined) throw new NotFound(`there is no project ${id}`);
  return locked;
}

/** The oldest project of that name; names need not be unique. */
export async function findProjectByName(tx: Tx, ownerId: string, name: string): Promise<Project | undefined> {
  const [found] = await tx.find(projects, { where: { ownerId, name }, order: { createdAt: 'ASC' }, take: 1 });
  return found;
}

export async function listAllProjects(tx: Tx): Promise<Project[]> {
  return tx.find(projects, { order: { createdAt: 'ASC', id: 'ASC' } });
}

export async function insertProject(tx: Tx, project: NewProject): Promise<void> {
  await tx.insert(projects, { ...project, ...pingKeyColumns(tx, project.id, project.pingKey) });
}

export async function setPingKey(tx: Tx, projectId: string, pingKey: string | null): Promise<void> {
  await updateRows<Project>(tx, projects, { id: projectId }, pingKeyColumns(tx, projectId, pingKey));
}

export async function renameProject(tx: Tx, id: string, name: string): Promise<void> {
  await updateRows<Project>(tx, projects, { id }, { name });
}

/** Deletes the project with all that is in it; its checks no longer count for the account. */
export async function deleteProject(tx: Tx, { id, ownerId }: Project): Promise<void> {
  const uncount = `update users set check_count = check_count -
    (select count(*) from checks where project_id = $1) where id = $2`;
  await executeSql(tx, uncount, [id, ownerId]);
  await tx.delete(projects, { id });
}
