import { capabilitiesOf, querySql, type SqlValue, type Tx, updateRows, yieldBetween } from '@certloop/db';
import { keyIdOf, type Logger, SecretUnreadable } from '@certloop/server';
import {
  hasPingKey,
  openPingKey,
  type Project,
  pingKeyColumns,
  projects,
} from '../projects/projects.repository.js';
import { deleteCanaries, hasEarlierProcess, listCanaries } from '../projects/sealing/canaries.repository.js';
import { beginSealing, isProven, type SealingDeps } from '../projects/sealing/open-sealing.service.js';
import { envelopeOf, type Sealing } from '../projects/sealing/sealing.store.js';
import { channels, openChannel, type StoredChannel, sealSettings } from './channels.repository.js';

const rowsPerTransaction = 100;

/**
 * Encrypts what is stored in clear, and with `keyId` also what another key has encrypted; returns how many secrets that
 * were. Takes some rows at a time, so that others wait for none of them; a run that was cut short is finished by the
 * next one.
 */
async function sealStored(deps: Pick<SealingDeps, 'db'>, keyId?: string): Promise<number> {
  const ofChannels = await inSlices(deps, 0, (tx, after) => sealSomeChannels(tx, after, keyId));
  return ofChannels + (await inSlices(deps, nilUuid, (tx, after) => sealSomeProjects(tx, after, keyId)));
}

const nilUuid = '00000000-0000-0000-0000-000000000000';

type SealSome = (tx: Tx, after: SqlValue) => Promise<Slice>;

async function inSlices(
  { db }: Pick<SealingDeps, 'db'>,
  first: SqlValue,
  sealSome: SealSome,
): Promise<number> {
  let count = 0;
  let after = first;
  for await (const _round of yieldBetween()) {
    const from = after;
    const slice = await db.transaction((tx) => sealSome(tx, from));
    count += slice.count;
    if (slice.next === undefined) break;
    after = slice.next;
  }
  return count;
}

interface Slice {
  readonly count: number;
  /** Id of the last row; undefined after the last slice. */
  readonly next: SqlValue | undefined;
}

async function sealSomeChannels(tx: Tx, after: SqlValue, keyId?: string): Promise<Slice> {
  const rows = await querySql<StoredChannel>(tx, channels.columns, nextRows(tx, 'channels'), [after]);
  let count = 0;
  for (const row of rows) {
    if (isDone(envelopeOf(row.settings), keyId)) continue;
    const settings = sealSettings(tx, row.uuid, openChannel(tx, row).settings);
    await updateRows<StoredChannel>(tx, channels, { id: row.id }, { settings });
    count += 1;
  }
  return { count, next: nextOf(rows) };
}

async function sealSomeProjects(tx: Tx, after: SqlValue, keyId?: string): Promise<Slice> {
  const rows = await querySql<Project>(tx, projects.columns, nextRows(tx, 'projects'), [after]);
  let count = 0;
  for (const row of rows) {
    if (!hasPingKey(row) || isDone(row.sealedPingKey ?? undefined, keyId)) continue;
    const columns = pingKeyColumns(tx, row.id, openPingKey(tx, row));
    await updateRows<Project>(tx, projects, { id: row.id }, columns);
    count += 1;
  }
  return { count, next: nextOf(rows) };
}

function nextRows(tx: Tx, table: string): string {
  const lock = capabilitiesOf(tx).hasConcurrentWriters ? 'for update' : '';
  return `select * from ${table} where id > $1 order by id limit ${rowsPerTransaction} ${lock}`;
}

function nextOf(rows: readonly { readonly id: string | number }[]): SqlValue | undefined {
  return rows.length < rowsPerTransaction ? undefined : rows.at(-1)?.id;
}

function isDone(envelope: string | undefined, keyId: string | undefined): boolean {
  return envelope !== undefined && (keyId === undefined || keyIdOf(envelope) === keyId);
}

export interface SealerDeps extends SealingDeps {
  readonly logger: Logger;
}

// what a process of an earlier version has begun ends well before
const quietRounds = 6;

/**
 * One round of the job that encrypts what is stored in clear. It begins once no process of an earlier version was seen in six
 * rounds, or once another process has begun. It ends after two runs that found nothing: what processes wrote before they
 * noticed the beginning is encrypted by the second one.
 */
export function createSealer(deps: SealerDeps, sealing: Sealing): () => Promise<void> {
  let quiet = 0;
  let runsWithoutAny = 0;
  return async () => {
    if (runsWithoutAny >= 2) return;
    if (!sealing.hasBegun) {
      const { isBegun, earlier } = await deps.db.read(async (tx) => ({
        isBegun: (await listCanaries(tx)).length > 0,
        earlier: await hasEarlierProcess(tx),
      }));
      quiet = earlier === false ? quiet + 1 : 0;
      if (!isBegun && quiet < quietRounds) return;
      await beginSealing(deps, sealing);
    }
    const count = await sealStored(deps);
    runsWithoutAny = count === 0 ? runsWithoutAny + 1 : 0;
    if (count > 0) deps.logger.info({ count }, 'secrets.encrypted');
  };
}

export interface Rotation {
  readonly encrypted: number;
  readonly activeKey: string;
  /** Keys of the ring that encrypt nothing any more. */
  readonly unusedKeys: readonly string[];
}

/**
 * Encrypts with the active key what is stored in clear or what another key has encrypted; when it resolves, the other
 * keys can be taken out of the ring. Resolves with undefined if a process of an earlier version is connected.
 */
export async function rotateKeys(deps: SealingDeps, sealing: Sealing): Promise<Rotation | undefined> {
  if (!sealing.hasBegun && (await deps.db.read(hasEarlierProcess)) === true) return undefined;
  await beginSealing(deps, sealing);
  const { active, keys } = sealing.ring;
  const encrypted = await sealStored(deps, active.id);
  const unusedKeys = [...keys.keys()].filter((id) => id !== active.id);
  await deps.db.transaction((tx) => deleteCanaries(tx, unusedKeys));
  return { encrypted, activeKey: active.id, unusedKeys };
}

export interface Discarded {
  readonly integrations: number;
  readonly pingKeys: number;
}

/**
 * Deletes what no key of the ring decrypts, for a database whose keys are lost: integrations stay without settings and
 * disabled, projects without a ping key. When it resolves, the service starts with this ring.
 */
export async function discardUnreadable(deps: SealingDeps, sealing: Sealing): Promise<Discarded> {
  sealing.hasBegun = true;
  const now = deps.clock.now();
  const integrations = await inSlices(deps, 0, (tx, after) => discardSettings(tx, after, now));
  const pingKeys = await inSlices(deps, nilUuid, discardPingKeys);
  const canaries = await deps.db.read(listCanaries);
  const lost = canaries.filter((canary) => !isProven(sealing, canary)).map(({ keyId }) => keyId);
  await deps.db.transaction((tx) => deleteCanaries(tx, lost));
  await beginSealing(deps, sealing);
  return { integrations, pingKeys };
}

async function discardSettings(tx: Tx, after: SqlValue, now: number): Promise<Slice> {
  const rows = await querySql<StoredChannel>(tx, channels.columns, nextRows(tx, 'channels'), [after]);
  const lost = rows.filter((row) => !isReadable(() => openChannel(tx, row)));
  for (const { id, uuid, kind } of lost) {
    const settings = sealSettings(tx, uuid, kind === 'group' ? { channels: [] } : {});
    const lastError = 'its settings could not be decrypted: enter them again';
    await updateRows<StoredChannel>(tx, channels, { id }, { settings, disabledAt: now, lastError });
  }
  return { count: lost.length, next: nextOf(rows) };
}

async function discardPingKeys(tx: Tx, after: SqlValue): Promise<Slice> {
  const rows = await querySql<Project>(tx, projects.columns, nextRows(tx, 'projects'), [after]);
  const lost = rows.filter((row) => !isReadable(() => openPingKey(tx, row)));
  for (const { id } of lost) await updateRows<Project>(tx, projects, { id }, pingKeyColumns(tx, id, null));
  return { count: lost.length, next: nextOf(rows) };
}

function isReadable(open: () => unknown): boolean {
  try {
    open();
    return true;
  } catch (error) {
    if (error instanceof SecretUnreadable) return false;
    throw error;
  }
}
