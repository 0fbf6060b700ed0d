import { changeInSlices, type Tx, updateRows } from '@certloop/db';
import { keyIdOf, type Logger, SecretUnreadable } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import {
  hasPingKey,
  openPingKey,
  type Project,
  pingKeyColumns,
  projects,
} from '../projects/projects.repository.js';
import { deleteCanaries, hasEarlierProcess, listCanaries } from '../projects/sealing/canaries.repository.js';
import { beginSealing, isProven, provenKeys } from '../projects/sealing/open-sealing.service.js';
import { envelopeOf, type Sealing } from '../projects/sealing/sealing.store.js';
import { channels, decryptChannel, type StoredChannel, sealSettings } from './channels.repository.js';

/**
 * Encrypts what is stored in clear, and with `keyId` also what another key has encrypted; returns how many secrets that
 * were. Takes some rows at a time, so that others wait for none of them; a run that was cut short is finished by the
 * next one.
 */
async function sealStored({ db }: Pick<DbDeps, 'db'>, keyId?: string): Promise<number> {
  const ofChannels = await changeInSlices(db, channels, async (tx, row) => {
    if (isDone(envelopeOf(row.settings), keyId)) return 0;
    const settings = sealSettings(tx, row.uuid, decryptChannel(tx, row).settings);
    return updateRows(tx, channels, { id: row.id }, { settings });
  });
  const ofProjects = await changeInSlices(db, projects, async (tx, row) => {
    if (!hasPingKey(row) || isDone(row.sealedPingKey ?? undefined, keyId)) return 0;
    return updateRows<Project>(
      tx,
      projects,
      { id: row.id },
      pingKeyColumns(tx, row.id, openPingKey(tx, row)),
    );
  });
  return ofChannels + ofProjects;
}

function isDone(envelope: string | undefined, keyId: string | undefined): boolean {
  return envelope !== undefined && (keyId === undefined || keyIdOf(envelope) === keyId);
}

export interface SealerDeps extends DbDeps {
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
export async function rotateKeys(deps: DbDeps, sealing: Sealing): Promise<Rotation | undefined> {
  if (!sealing.hasBegun && (await deps.db.read(hasEarlierProcess)) === true) return undefined;
  await beginSealing(deps, sealing);
  const { active, keys } = sealing.ring;
  const encrypted = await sealStored(deps, active.id);
  const unusedKeys = [...keys.keys()].filter((id) => id !== active.id);
  const proven = provenKeys(sealing.ring).map(({ id }) => id);
  const forgotten = unusedKeys.filter((id) => !proven.includes(id));
  await deps.db.transaction((tx) => deleteCanaries(tx, forgotten));
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
export async function discardUnreadable(deps: DbDeps, sealing: Sealing): Promise<Discarded> {
  sealing.hasBegun = true;
  const now = deps.clock.now();
  const integrations = await changeInSlices(deps.db, channels, (tx, row) => discardSettings(tx, row, now));
  const pingKeys = await changeInSlices(deps.db, projects, discardPingKey);
  const canaries = await deps.db.read(listCanaries);
  const lost = canaries.filter((canary) => !isProven(sealing, canary)).map(({ keyId }) => keyId);
  await deps.db.transaction((tx) => deleteCanaries(tx, lost));
  await beginSealing(deps, sealing);
  return { integrations, pingKeys };
}

async function discardSettings(tx: Tx, row: StoredChannel, now: number): Promise<number> {
  if (isReadable(() => decryptChannel(tx, row))) return 0;
  const settings = sealSettings(tx, row.uuid, row.kind === 'group' ? { channels: [] } : {});
  const lastError = 'its settings could not be decrypted: enter them again';
  return updateRows(tx, channels, { id: row.id }, { settings, disabledAt: now, lastError });
}

async function discardPingKey(tx: Tx, row: Project): Promise<number> {
  if (isReadable(() => openPingKey(tx, row))) return 0;
  return updateRows<Project>(tx, projects, { id: row.id }, pingKeyColumns(tx, row.id, null));
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
