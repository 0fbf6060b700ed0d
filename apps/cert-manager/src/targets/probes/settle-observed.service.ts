import type { ServedAddress } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import type { AddressObservation } from '@certloop/tls-probe';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import type { CertificateEvents } from '../../certificates/store-certificates.service.js';
import type { FqdnRow } from '../../fqdns/fqdns.repository.js';
import { type Adopter, adoptServed } from '../adoption/adopt-served.service.js';
import { type Known, type Newest, readKnown } from '../served/expected.service.js';
import {
  deleteServedFqdn,
  lockServedFqdn,
  type ServedFqdnRow,
  updateServedFqdn,
} from '../served/served-fqdns.repository.js';
import { hintOfState } from '../served/served-hint.js';
import { faultText, severityOf, verdictOf } from '../served/served-verdict.js';
import { acceptedSecondsOf } from '../target.js';
import { listTargetsOf, type TargetRow } from '../targets.repository.js';
import { failsAt, isWell } from './address-state.js';
import { judgeObservation } from './judge-observation.js';
import { insertChanges, type TargetChangeRow } from './target-changes.repository.js';
import { listStates, replaceStates, type TargetStateRow } from './target-states.repository.js';

/** Events of targets; `changes/reactions.service.ts` lists what follows each of them. */
export interface TargetEvents {
  /** The targets of the FQDN were checked, and they have a fault or had one before. */
  targetsJudged(tx: Tx, event: JudgedTargets): Promise<void>;
  /** The newest certificate of the FQDN is served at all addresses for the first time. */
  certificateInService(tx: Tx, event: InService): Promise<void>;
  /** Of an FQDN without a certificate, what is served is adopted from now on, or no longer. */
  adoptionSwitched(tx: Tx, event: { readonly fqdn: Pick<FqdnRow, 'id' | 'spaceId'> }): Promise<void>;
}

/** Events that follow from observations. */
export type ObservationEvents = TargetEvents & CertificateEvents;

export interface JudgedTargets {
  /** As it was before. */
  readonly fqdn: ServedFqdnRow;
  /** The fault of its targets in words; null for none. */
  readonly fault: string | null;
}

export interface InService {
  readonly fqdn: ServedFqdnRow;
  readonly certificate: Pick<CertificateRow, 'id' | 'serialNumber' | 'expiresAt'>;
  /** From storing it until it was served at all addresses. */
  readonly seconds: number;
  readonly addresses: number;
}

/** Observation of a target. */
export interface Observed {
  readonly target: TargetRow;
  readonly found: readonly AddressObservation[];
  readonly observer: ServedAddress['observer'];
  readonly observedAt: Date;
  /** Whether all addresses of the target were looked up, so that others are gone. */
  readonly isWhole: boolean;
  /** Stores what is served, if the target adopts it; absent if nothing was observed that could be new. */
  readonly adopter?: Adopter | undefined;
}

/** Result of an observation. */
export interface Settled {
  /** When the verdict changes without a further change at the server. */
  readonly turns: readonly Date[];
  readonly newest: Newest | undefined;
  readonly hasChanged: boolean;
  /** Seconds from storing the newest certificate to its being served at all addresses, the first time that it is. */
  readonly inServiceSeconds: number | undefined;
  /** Whether what is served was stored. */
  readonly isNewCertificate: boolean;
}

/**
 * Stores what was observed of a target, judged by the certificates as they are in this transaction, and the verdict of
 * its FQDN. Observations that are older than what is stored are omitted.
 */
export async function settleObserved(tx: Tx, emit: ObservationEvents, observed: Observed): Promise<Settled> {
  const { target, observer, observedAt, isWhole, adopter } = observed;
  // a process that observed another target of the FQDN waits here, and then judges both results
  const row = await lockServedFqdn(tx, target.fqdnId);
  const before = new Map((await listStates(tx, [target])).map((state) => [state.address, state]));
  const found = observed.found.filter(({ address }) => {
    const last = before.get(address ?? '');
    return last === undefined || last.observedAt <= observedAt;
  });
  const isNewCertificate =
    target.adopt === true &&
    adopter !== undefined &&
    (await adoptServed(tx, emit, { target, found, observedAt }, adopter));
  const known = await readKnown(tx, target.fqdnId, serialsIn(found));
  const acceptedSeconds = acceptedSecondsOf(target, known.newest !== undefined);
  const turns: Date[] = [];
  const states: TargetStateRow[] = [];
  const changes: TargetChangeRow[] = [];
  for (const one of found) {
    const address = one.address ?? '';
    const last = before.get(address);
    const { state, facts, turnsStaleAt } = judgeObservation(one, target, withLeaf(known), {
      before: last,
      observedAt,
    });
    const next: TargetStateRow = { targetId: target.id, address, ...state, ...facts, observedAt, observer };
    states.push(next);
    const turn = turnsStaleAt ?? failsAt(state, acceptedSeconds);
    if (turn !== undefined) turns.push(turn);
    if (last?.class !== next.class || last.leafSha256 !== next.leafSha256) changes.push(changeOf(next));
  }
  const seen = new Set(observed.found.map(({ address }) => address ?? ''));
  const gone = isWhole ? [...before.keys()].filter((address) => !seen.has(address)) : [];
  await replaceStates(tx, target.id, states, gone);
  await insertChanges(tx, target.id, changes);
  const inServiceSeconds = row && (await settleVerdict(tx, emit, row, known.newest, observedAt));
  return { turns, newest: known.newest, hasChanged: changes.length > 0, inServiceSeconds, isNewCertificate };
}

/** Judges an FQDN again after its targets have changed; forgets it with the last one. */
export async function settleTargets(
  tx: Tx,
  emit: TargetEvents,
  fqdnId: string,
  { newest, now }: { readonly newest: Newest | undefined; readonly now: Date },
): Promise<void> {
  const row = await lockServedFqdn(tx, fqdnId);
  if (row === undefined) return;
  if ((await listTargetsOf(tx, fqdnId)).length > 0) {
    await settleVerdict(tx, emit, row, newest, now);
    return;
  }
  await deleteServedFqdn(tx, fqdnId);
  if (row.fault !== null) await emit.targetsJudged(tx, { fqdn: row, fault: null });
}

/** Seconds in which the newest certificate came into service at all addresses, if that is new. */
async function settleVerdict(
  tx: Tx,
  emit: TargetEvents,
  row: ServedFqdnRow,
  newest: Newest | undefined,
  now: Date,
): Promise<number | undefined> {
  const targets = (await listTargetsOf(tx, row.id)).filter(({ enabled }) => enabled);
  const states = await listStates(tx, targets);
  const named = newest && { serialNumber: newest.row.serialNumber, issuedAt: newest.row.createdAt };
  const byId = new Map(targets.map((target) => [target.id, target]));
  const judged = states.flatMap((state) => {
    const target = byId.get(state.targetId);
    if (target === undefined) return [];
    const failing = failsAt(state, acceptedSecondsOf(target, newest !== undefined));
    // an FQDN without a certificate has none that could be served, unless what is served is to be adopted
    const isJudged = newest !== undefined || target.adopt === true;
    return [
      {
        class: state.class,
        hint: hintOfState(state, target, named),
        isFault: isJudged && failing !== undefined && failing <= now,
      },
    ];
  });
  const { class: found, partial } = verdictOf(states.map((state) => state.class));
  const faults = judged.filter(({ isFault }) => isFault);
  const fault = faultText(faults) ?? null;
  const worst = [...judged].sort((a, b) => severityOf(a.class) - severityOf(b.class))[0];
  const isInService =
    newest !== undefined &&
    states.length > 0 &&
    states.every((state) => state.class === 'current' && state.leafSha256 === newest.fingerprint);
  const isNew = isInService && row.inServiceId !== newest.row.id;
  const since = (found ?? null) === row.class ? row.since : now;
  await updateServedFqdn(tx, row.id, {
    class: found ?? null,
    partial,
    since: found === undefined ? null : since,
    hint: worst === undefined || isWell(worst.class) ? null : worst.hint,
    fault,
    ...(isInService && { inServiceId: newest.row.id }),
  });
  // also while it lasts: the check may have been made since
  if (fault !== null || row.fault !== null) await emit.targetsJudged(tx, { fqdn: row, fault });
  // what was adopted was in service before it was stored
  if (!isNew || newest.row.source === 'served') return undefined;
  const seconds = Math.max(0, (now.getTime() - newest.row.createdAt.getTime()) / 1000);
  const addresses = states.length;
  await emit.certificateInService(tx, { fqdn: row, certificate: newest.row, seconds, addresses });
  return seconds;
}

function withLeaf(known: Known) {
  return { ...known, newest: known.newest?.leaf };
}

function serialsIn(found: readonly AddressObservation[]): string[] {
  const serials = found.flatMap(({ observation }) =>
    'served' in observation ? observation.served.map(({ leaf }) => leaf.serialNumber) : [],
  );
  return [...new Set(serials)];
}

function changeOf(state: TargetStateRow): TargetChangeRow {
  const { targetId, address, class: found, serialNumber, leafSha256, observedAt: at } = state;
  return { id: newRowId(at), targetId, address, at, class: found, serialNumber, leafSha256 };
}
