import { Forbidden, Unauthenticated } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { pickChannels } from '../channels/channels.service.js';
import { assignChannels } from '../channels/check-channels.repository.js';
import type { Micros } from '../instants.js';
import type { Caller } from '../projects/caller.js';
import { findProjectForShare } from '../projects/projects.repository.js';
import { addToCheckCount, lockOwner, type User } from '../projects/users.repository.js';
import {
  type Check,
  type CheckSettings,
  type CheckState,
  defaultSettings,
  newCheck,
  unpinged,
} from './check.js';
import { type CheckSpec, changedSettings, parseCheckSpec, uniqueMatch } from './check-spec.js';
import { deadlineOf } from './check-timing.js';
import { type AssignedCheck, type ChecksDeps, lockOwnCheck, withChannels } from './checks.service.js';
import {
  findCheckByUuid,
  findMatchingCheck,
  insertCheck,
  lockCheck,
  updateCheck,
} from './rows/checks.repository.js';

export interface WriteCheckDeps extends ChecksDeps {
  readonly newUuid: () => string;
  /** Checks of an account that has no limit of its own. */
  readonly checkLimit: number;
}

/**
 * Makes a check, or updates the one that `unique` matches. Throws InvalidInput for wrong parameters or channels,
 * Forbidden at the limit of the account, and Unauthenticated when the project went in the meantime, and its keys with it.
 */
export async function createCheck(
  deps: WriteCheckDeps,
  caller: Caller,
): Promise<AssignedCheck & { readonly isNew: boolean }> {
  const spec = parseCheckSpec(caller.body);
  const written = await deps.db.transaction(async (tx) => {
    const owner = await lockOwner(tx, caller.ownerId);
    if ((await findProjectForShare(tx, caller.projectId)) === undefined)
      throw new Unauthenticated('wrong api key');
    const existing = await findUniqueMatch(tx, caller, spec);
    if (existing !== undefined) return { ...(await applySpec(tx, caller, existing, spec)), isNew: false };
    requireRoom(deps, owner, 1);
    const settings = { ...defaultSettings, ...changedSettings(spec, defaultSettings, caller.version) };
    const channels = await pickChannels(tx, caller.projectId, spec.channels ?? '');
    const armed = armedState(settings, spec.import_last_ping, deps.clock.now());
    const check = await addCheck(deps, tx, owner, caller.projectId, settings, armed);
    await assignChannels(tx, check.id, channels);
    return { ...(await withChannels(tx, check)), isNew: true };
  });
  deps.noteChange?.(written.check.uuid, written.isNew);
  return written;
}

/** Changes what the parameters name. Throws NotFound, Forbidden, then InvalidInput. */
export async function reviseCheck(
  deps: WriteCheckDeps,
  caller: Caller,
  uuid: string,
): Promise<AssignedCheck> {
  const revised = await deps.db.transaction(async (tx) => {
    const check = await lockOwnCheck(tx, caller, uuid);
    return applySpec(tx, caller, check, parseCheckSpec(caller.body));
  });
  deps.noteChange?.(revised.check.uuid);
  return revised;
}

/** Inserts a check with these settings and counts it; the owner is locked by the caller's transaction. */
export async function addCheck(
  deps: Pick<WriteCheckDeps, 'newUuid' | 'clock'>,
  tx: Tx,
  owner: User,
  projectId: string,
  settings: CheckSettings,
  state: Partial<CheckState> = {},
): Promise<Check> {
  const uuid = deps.newUuid();
  const origin = { projectId, uuid, badgeUuid: deps.newUuid(), createdAt: deps.clock.now() };
  await insertCheck(tx, { ...newCheck(settings, origin), ...state });
  await addToCheckCount(tx, owner.id, 1);
  const made = await findCheckByUuid(tx, uuid);
  if (made === undefined) throw new Error(`check ${uuid} is gone within its own transaction`);
  return made;
}

/** State of a new check that was pinged elsewhere: it falls when it would have fallen there. */
function armedState(settings: CheckSettings, pingedAt: Micros | undefined, now: Micros): Partial<CheckState> {
  if (pingedAt === undefined) return {};
  const lastPing = Math.min(pingedAt, now);
  const timing = { ...settings, ...unpinged, storedStatus: 'up', lastPing } as const;
  return { storedStatus: 'up', lastPing, alertAfter: deadlineOf(timing) };
}

/** Throws Forbidden when the account has `factor` times as many checks as it may have. */
export function requireRoom(
  { checkLimit }: Pick<WriteCheckDeps, 'checkLimit'>,
  owner: User,
  factor: 1 | 2,
): void {
  const limit = (owner.checkLimit ?? checkLimit) * factor;
  if (owner.checkCount >= limit) throw new Forbidden(`the account has reached its limit of ${limit} checks`);
}

async function findUniqueMatch(tx: Tx, caller: Caller, spec: CheckSpec): Promise<Check | undefined> {
  const match = uniqueMatch(spec);
  if (match === undefined) return undefined;
  for (;;) {
    const found = await findMatchingCheck(tx, caller.projectId, match);
    if (found === undefined) return undefined;
    const check = await lockCheck(tx, found.uuid);
    // an update may have changed it, or removed it, before it was locked
    if (check !== undefined && matches(check, match)) return check;
  }
}

function matches(check: Check, match: Partial<CheckSettings>): boolean {
  return Object.entries(match).every(([name, value]) => check[name as keyof CheckSettings] === value);
}

async function applySpec(tx: Tx, caller: Caller, check: Check, spec: CheckSpec): Promise<AssignedCheck> {
  if (spec.channels !== undefined) {
    await assignChannels(tx, check.id, await pickChannels(tx, check.projectId, spec.channels));
  }
  const settings = changedSettings(spec, check, caller.version);
  const changes = { ...settings, alertAfter: deadlineOf({ ...check, ...settings }) };
  await updateCheck(tx, check.id, changes);
  return withChannels(tx, { ...check, ...changes });
}
