import type { WatchedServerInput } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import { keyAlgorithmOf } from '@certloop/tls-probe/rules';
import type { Caller } from '../../access/caller.js';
import { spaceNotFound } from '../../access/permissions.js';
import { recordAudit } from '../../audit/audit.service.js';
import { hasObtainedCertificate } from '../../certificates/newest-certificates.repository.js';
import { requireIssuanceAllowed } from '../../csrs/issuance-refusals.service.js';
import { rejectHeldNames } from '../../csrs/name-refusals.service.js';
import { type FqdnRow, findFqdnIds, lockFqdn } from '../../fqdns/fqdns.repository.js';
import { addFqdn, type FqdnEvents, newFqdnRow, recordRefusedFqdn } from '../../fqdns/fqdns.service.js';
import { lockSpace } from '../../spaces/spaces.repository.js';
import { findNewest, type Newest } from '../served/expected.service.js';
import { addServedFqdn } from '../served/served-fqdns.repository.js';
import type { TargetSettings } from '../target.js';
import { refusalOfField, validateTarget } from '../target-input.js';
import { findTargetAt, insertTarget, type TargetRow, updateTargetRow } from '../targets.repository.js';
import { auditOf, contextOf, requireRoom, type TargetDeps } from '../targets.service.js';
import { readServerToWatch, type ServerToWatch } from './watched-server-input.js';

export interface PlaceServerDeps extends TargetDeps {
  readonly emit: TargetDeps['emit'] & FqdnEvents;
}

/** A server with its FQDN and target, as they are stored. */
export interface PlacedServer {
  readonly input: WatchedServerInput;
  readonly fqdn: FqdnRow;
  readonly target: TargetRow;
  /** Kind of the key of the newest certificate. */
  readonly keyAlgorithm: string | undefined;
  readonly newest: Newest | undefined;
  readonly isNewFqdn: boolean;
  readonly isNewTarget: boolean;
}

// if this process dies, another one probes the target after that
const otherwiseMs = 60_000;

/**
 * Adds the FQDN and the target of a server unless they are there, in one transaction. What is served there is adopted unless
 * CertLoop has obtained a certificate for the FQDN. Throws NotFound for the space, and InvalidInput that names the field.
 */
export async function placeServer(
  deps: PlaceServerDeps,
  caller: Caller,
  { spaceId, input }: { readonly spaceId: string; readonly input: WatchedServerInput },
): Promise<PlacedServer> {
  const server = readServerToWatch(input);
  const { name } = server;
  return recordRefusedFqdn(deps, caller, { spaceId, hostname: name }, () =>
    deps.db.transaction(async (tx) => {
      // so that of two calls the second one finds what the first one has added
      if ((await lockSpace(tx, spaceId)) === undefined) throw spaceNotFound();
      const now = deps.clock.now();
      const known = (await findFqdnIds(tx, spaceId, [name])).get(name);
      const isNewFqdn = known === undefined;
      const fqdn = isNewFqdn
        ? newFqdnRow({ spaceId, hostname: name }, now)
        : await lockFqdn(tx, spaceId, known);
      await requireIssuanceAllowed(tx, { fqdn });
      await rejectHeldNames(tx, { caller, fqdn });
      const settings = validateTarget(server.target, await contextOf(tx, deps, fqdn));
      if (isNewFqdn) await addFqdn(tx, deps.emit, caller, fqdn);
      const placing: Placing = { deps, caller, fqdn, now };
      const { target, isNewTarget } = await placeTarget(tx, placing, settings, server);
      const newest = await findNewest(tx, fqdn.id);
      const keyAlgorithm = newest && keyAlgorithmOf(newest.leaf);
      return { input, fqdn, target, keyAlgorithm, newest, isNewFqdn, isNewTarget };
    }),
  );
}

interface Placing {
  readonly deps: PlaceServerDeps;
  readonly caller: Caller;
  /** Locked. */
  readonly fqdn: FqdnRow;
  readonly now: Date;
}

async function placeTarget(
  tx: Tx,
  { deps, caller, fqdn, now }: Placing,
  settings: TargetSettings,
  server: ServerToWatch,
): Promise<{ readonly target: TargetRow; readonly isNewTarget: boolean }> {
  const adopt = (await hasObtainedCertificate(tx, fqdn.id)) ? null : true;
  const before = await findTargetAt(tx, fqdn.id, settings);
  if (before !== undefined) {
    requireProbed(before, server);
    const target = { ...before, adopt };
    const isSwitched = before.adopt !== adopt;
    if (isSwitched) await updateTargetRow(tx, before.id, { adopt });
    if (isSwitched) await deps.emit.adoptionSwitched(tx, { fqdn });
    const action = isSwitched ? 'target.update' : 'target.probe';
    await recordAudit(tx, caller, auditOf(action, fqdn, target), now);
    return { target, isNewTarget: false };
  }
  await requireRoom(tx, deps, fqdn);
  const target: TargetRow = {
    ...settings,
    id: newRowId(now),
    fqdnId: fqdn.id,
    spaceId: fqdn.spaceId,
    source: 'user',
    dueAt: new Date(now.getTime() + otherwiseMs),
    leaseToken: null,
    createdAt: now,
    adopt,
  };
  await insertTarget(tx, target);
  await addServedFqdn(tx, { ...fqdn, createdAt: now });
  await deps.emit.adoptionSwitched(tx, { fqdn });
  await recordAudit(tx, caller, auditOf('target.create', fqdn, target), now);
  return { target, isNewTarget: true };
}

function requireProbed({ mode, enabled }: TargetRow, { target }: ServerToWatch): void {
  if (enabled && (mode === 'probe' || target.mode === 'report')) return;
  throw refusalOfField(
    'target_not_probed',
    'host',
    'its target is there, but switched off or of mode report: set enabled true and mode "probe" there.',
  );
}
