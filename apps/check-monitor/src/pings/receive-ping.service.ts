import { Conflict, InvalidInput, NotFound } from '@certloop/contracts';
import type { Database, Tx } from '@certloop/db';
import { assignAllChannels } from '../channels/channels.service.js';
import { type Check, defaultSettings } from '../checks/check.js';
import { applySignal } from '../checks/check-state.js';
import { findChecksBySlug, holdCheck, updateCheckState } from '../checks/checks.repository.js';
import { recordFlip } from '../checks/checks.service.js';
import { addCheck, requireRoom } from '../checks/write-check.service.js';
import type { Micros } from '../instants.js';
import { findProjectByPingKey, holdOwner, type Project } from '../projects/projects.repository.js';
import type { Origin } from './client-address.js';
import type { PingAddress, PingTarget } from './ping-address.js';
import { insertPing } from './pings.repository.js';
import { prunePings } from './prune-pings.service.js';
import { signalOfHttpPing } from './signal.js';

export interface ReceivePingDeps {
  readonly database: Database;
  readonly now: () => Micros;
  readonly newUuid: () => string;
  /** Defaults for accounts without limits of their own. */
  readonly checkLimit: number;
  readonly pingLimit: number;
}

const longestSlug = 100;

/** A ping as it came in over HTTP. */
export interface IncomingPing {
  readonly address: PingAddress;
  readonly origin: Origin;
  readonly method: string;
  readonly userAgent: string;
  /** First bytes of the body, as many as are kept. */
  readonly body: Buffer;
}

/**
 * Stores a ping with what it changes, all in one transaction; resolves when that is on disk. `isNew` tells that the
 * check was made for it. Throws NotFound, Conflict for a slug of several checks, InvalidInput for a wrong address.
 */
export async function receivePing(
  deps: ReceivePingDeps,
  ping: IncomingPing,
): Promise<{ readonly isNew: boolean }> {
  const { target } = ping.address;
  if (target.kind === 'slug' && target.slug !== target.slug.toLowerCase()) throw wrongUrl();
  return deps.database.transaction(async (tx) => {
    const known = await findTarget(tx, target);
    const exitStatus = readExitStatus(ping.address.exitStatus);
    const runId = readRunId(ping.address.runId);
    const { check, isNew } = known ?? (await provision(deps, tx, target));
    await storePing(deps, tx, check, ping, { exitStatus, runId });
    return { isNew };
  });
}

interface Found {
  readonly check: Check;
  readonly isNew: boolean;
}

/** The check, held until the transaction ends; undefined when it is to be made. */
async function findTarget(tx: Tx, target: PingTarget): Promise<Found | undefined> {
  if (target.kind === 'uuid') return { check: requireCheck(await holdCheck(tx, target.uuid)), isNew: false };
  const project = await findProjectByPingKey(tx, target.pingKey);
  if (project === undefined) throw new NotFound('not found');
  const named = await findBySlug(tx, project, target.slug);
  if (named === undefined && target.create) return undefined;
  return { check: requireCheck(named && (await holdCheck(tx, named.uuid))), isNew: false };
}

/** Makes the check with all channels of the project, up to twice the limit of the account. */
async function provision(deps: ReceivePingDeps, tx: Tx, target: PingTarget): Promise<Found> {
  if (target.kind === 'uuid') throw new NotFound('not found');
  const { pingKey, slug } = target;
  if (slug.length > longestSlug) throw wrongUrl();
  const project = await findProjectByPingKey(tx, pingKey);
  if (project === undefined) throw new NotFound('not found');
  const owner = await holdOwner(tx, project.ownerId);
  // somebody else may have made it while we waited for the owner
  const named = await findBySlug(tx, project, slug);
  if (named !== undefined) return { check: requireCheck(await holdCheck(tx, named.uuid)), isNew: false };
  try {
    requireRoom(deps, owner, 2);
  } catch (cause) {
    throw new NotFound('not found', { cause });
  }
  const check = await addCheck(deps, tx, owner, project.id, { ...defaultSettings, name: slug, slug });
  await assignAllChannels(tx, project.id, check.id);
  return { check, isNew: true };
}

async function storePing(
  deps: ReceivePingDeps,
  tx: Tx,
  check: Check,
  ping: IncomingPing,
  { exitStatus, runId }: { readonly exitStatus: number | null; readonly runId: string | null },
): Promise<void> {
  const { address, origin, method, userAgent, body } = ping;
  const { action } = address;
  const at = deps.now();
  const filter = { ...check, isPaused: check.storedStatus === 'paused' };
  const signal = signalOfHttpPing({ action, exitStatus, method, body }, filter);
  const { state, flip } = applySignal(check, signal, runId, at);
  const n = check.pingCount + 1;
  await updateCheckState(tx, check.id, n, state);
  await insertPing(tx, {
    ...{ checkId: check.id, n, at, signal, method, userAgent, runId, exitStatus },
    ...origin,
    body: body.length === 0 ? null : body,
  });
  if (flip !== undefined) await recordFlip(tx, check.id, flip);
  await prunePings(deps, tx, check, n, at);
}

async function findBySlug(tx: Tx, project: Project, slug: string): Promise<Check | undefined> {
  const [found, another] = await findChecksBySlug(tx, project.id, slug);
  if (another !== undefined) throw new Conflict('ambiguous slug');
  return found;
}

function requireCheck(check: Check | undefined): Check {
  if (check === undefined) throw new NotFound('not found');
  return check;
}

function readExitStatus(digits: string | undefined): number | null {
  if (digits === undefined) return null;
  const status = Number(digits);
  if (status > 255) throw new InvalidInput('invalid url format', { code: 'known_check' });
  return status;
}

const canonicalUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function readRunId(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!canonicalUuid.test(text)) throw new InvalidInput('invalid uuid format', { code: 'known_check' });
  return text.toLowerCase();
}

function wrongUrl(): InvalidInput {
  return new InvalidInput('invalid url format');
}
