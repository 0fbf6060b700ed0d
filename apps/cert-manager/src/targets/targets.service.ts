import { InvalidInput, type TargetInput } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { storedNames } from '../csrs/asked-names.js';
import { findLatestCsr } from '../csrs/csrs.repository.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, getFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { lockSpace } from '../spaces/spaces.repository.js';
import type { Prober } from './probes/prober.service.js';
import { settleTargets, type TargetEvents } from './probes/settle-observed.service.js';
import { deleteStates } from './probes/target-states.repository.js';
import { findNewest } from './served/expected.service.js';
import { addServedFqdn } from './served/served-fqdns.repository.js';
import { hostPortOf } from './target.js';
import { type TargetContext, validateTarget } from './target-input.js';
import {
  countTargetsOfSpace,
  deleteTargetRow,
  getTarget,
  insertTarget,
  listTargetsOf,
  type TargetRow,
  updateTargetRow,
} from './targets.repository.js';

export interface TargetDeps extends DbDeps {
  readonly emit: TargetEvents;
  readonly prober: Prober;
  readonly maxPerSpace: number;
}

export type TargetPath = FqdnPlace & { readonly targetId: string };

const maxPerFqdn = 20;

/** Targets of an FQDN, oldest first. Throws NotFound. */
export async function listTargets(
  { db }: Pick<TargetDeps, 'db'>,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
): Promise<TargetRow[]> {
  requireLevel(caller, spaceId, 'READ');
  return db.read(async (tx) => {
    await getFqdn(tx, spaceId, fqdnId);
    return listTargetsOf(tx, fqdnId);
  });
}

/**
 * Adds a target, which is probed at once. Throws NotFound, InvalidInput as validateTarget does and where there are 20 of
 * the FQDN or as many of the space as are allowed, Conflict for a place that exists.
 */
export async function createTarget(
  deps: TargetDeps,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
  input: TargetInput,
): Promise<TargetRow> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  return deps.db.transaction(async (tx) => {
    // before the FQDN, and so that two calls do not both take the last place of the space
    await lockSpace(tx, spaceId);
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const settings = validateTarget(input, await contextOf(tx, deps, fqdn));
    await requireRoom(tx, deps, fqdn);
    const now = deps.clock.now();
    const target: TargetRow = {
      ...settings,
      id: newRowId(now),
      fqdnId,
      spaceId,
      source: 'user',
      dueAt: now,
      leaseToken: null,
      createdAt: now,
      adopt: null,
    };
    await insertTarget(tx, target);
    await addServedFqdn(tx, { ...fqdn, createdAt: now });
    await recordAudit(tx, caller, auditOf('target.create', fqdn, target), now);
    return target;
  });
}

/** Changes a target, which is probed at once; what another place served is forgotten. Throws as createTarget does. */
export async function updateTarget(
  deps: TargetDeps,
  caller: Caller,
  { spaceId, fqdnId, targetId }: TargetPath,
  input: TargetInput,
): Promise<TargetRow> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  return deps.db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const before = await getTarget(tx, fqdnId, targetId);
    const settings = validateTarget(input, await contextOf(tx, deps, fqdn), before);
    const now = deps.clock.now();
    // a process that is probing the target now can no longer store its result
    const change = { ...settings, dueAt: now, leaseToken: null };
    await updateTargetRow(tx, targetId, change);
    const target = { ...before, ...change };
    if (!isSamePlace(before, target)) await deleteStates(tx, targetId);
    await settleTargets(tx, deps.emit, fqdnId, { newest: await findNewest(tx, fqdnId), now });
    if (target.adopt === true) await deps.emit.adoptionSwitched(tx, { fqdn });
    await recordAudit(tx, caller, auditOf('target.update', fqdn, target), now);
    return target;
  });
}

/** Removes a target; its faults end with it. Throws NotFound. */
export async function deleteTarget(
  deps: TargetDeps,
  caller: Caller,
  { spaceId, fqdnId, targetId }: TargetPath,
): Promise<void> {
  requireLevel(caller, spaceId, 'READ_WRITE');
  await deps.db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, spaceId, fqdnId);
    const target = await getTarget(tx, fqdnId, targetId);
    await deleteTargetRow(tx, targetId);
    const now = deps.clock.now();
    await settleTargets(tx, deps.emit, fqdnId, { newest: await findNewest(tx, fqdnId), now });
    if (target.adopt === true) await deps.emit.adoptionSwitched(tx, { fqdn });
    await recordAudit(tx, caller, auditOf('target.delete', fqdn, target), now);
  });
}

/** Returns what a target of the FQDN is judged by. */
export async function contextOf(tx: Tx, { prober }: TargetDeps, fqdn: FqdnRow): Promise<TargetContext> {
  const newest = await findNewest(tx, fqdn.id);
  const csr = await findLatestCsr(tx, fqdn.id);
  const asked = csr && storedNames(csr);
  const { dnsNames = [], ipAddresses = [] } = newest?.leaf.subjectAltNames ?? {};
  return {
    fqdn: fqdn.fqdn,
    names: [...dnsNames, ...ipAddresses, ...(asked?.dnsNames ?? []), ...(asked?.ipAddresses ?? [])],
    refusal: prober.refusal,
    portRefusal: prober.portRefusal,
  };
}

/** Throws InvalidInput if the FQDN or its space has as many targets as are allowed. */
export async function requireRoom(tx: Tx, { maxPerSpace }: TargetDeps, fqdn: FqdnRow): Promise<void> {
  const ofFqdn = (await listTargetsOf(tx, fqdn.id)).length;
  if (ofFqdn >= maxPerFqdn) throw tooMany(`this FQDN has ${ofFqdn} targets, of ${maxPerFqdn} at most`);
  const ofSpace = await countTargetsOfSpace(tx, fqdn.spaceId);
  if (ofSpace < maxPerSpace) return;
  throw tooMany(
    `this space has ${ofSpace} targets, of ${maxPerSpace} at most; the operator can raise PROBE_TARGETS_PER_SPACE`,
  );
}

function tooMany(message: string): InvalidInput {
  return new InvalidInput(`${message}: remove one first`, {
    code: 'too_many_targets',
    title: 'Too many targets',
  });
}

function isSamePlace(a: TargetRow, b: TargetRow): boolean {
  const placeOfTarget = ({ host, port, protocol, sni, addresses }: TargetRow) =>
    JSON.stringify([host, port, protocol, sni, addresses]);
  return placeOfTarget(a) === placeOfTarget(b);
}

/** The audit entry of an act on a target. */
export function auditOf(
  action: 'target.create' | 'target.update' | 'target.delete' | 'target.probe' | 'target.report',
  { fqdn, id: fqdnId, spaceId }: FqdnRow,
  { id, host, port, protocol, sni, addresses, mode, everySeconds, graceSeconds, enabled, adopt }: TargetRow,
) {
  const settings = { protocol, sni, addresses, mode, everySeconds, graceSeconds, enabled };
  const place = hostPortOf(host, port);
  const details = { fqdn, fqdnId, place, ...settings, ...(adopt === true && { adopt }) };
  return { action, resourceType: 'target', resourceId: id, spaceId, details };
}
