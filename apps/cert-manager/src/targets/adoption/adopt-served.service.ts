import { fingerprint } from '@certloop/crypto';
import { newRowId, type Tx } from '@certloop/db';
import {
  type AddressObservation,
  coversName,
  keyAlgorithmOf,
  type ServedCertificate,
} from '@certloop/tls-probe/rules';
import type { Caller } from '../../access/caller.js';
import { recordAudit } from '../../audit/audit.service.js';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { endsView } from '../../certificates/in-use.js';
import { restoreAsNewest } from '../../certificates/insert-certificates.repository.js';
import {
  type CertificateEvents,
  ofNoClient,
  storeCertificate,
} from '../../certificates/store-certificates.service.js';
import { findRefusal } from '../../csrs/issuance-refusals.service.js';
import { findNameRefusals } from '../../csrs/name-refusals.service.js';
import type { FqdnRow } from '../../fqdns/fqdns.repository.js';
import { formatIssuedChain } from '../../judging/acme-certificate.js';
import { leafFacts } from '../../judging/issued-certificate.js';
import { type ServedChain, servedChainOf } from '../../judging/served-chain.js';
import { readableText } from '../../providers/provider.js';
import { listStates, type TargetStateRow } from '../probes/target-states.repository.js';
import { findNewest, type Newest } from '../served/expected.service.js';
import { hostPortOf } from '../target.js';
import { probeNow } from '../target-claims.repository.js';
import { listTargetsOf, type TargetRow } from '../targets.repository.js';
import { adoptionOf, type ServedLeaf } from './adoption.js';

/** For whom certificates of a target are adopted. */
export interface Adopter {
  /** Locked. */
  readonly fqdn: FqdnRow;
  readonly caller: Caller;
  /** When what is adopted is stored. */
  readonly now: Date;
}

/** Observation of a target whose certificates are adopted. */
interface Adoptable {
  readonly target: TargetRow;
  readonly found: readonly AddressObservation[];
  readonly observedAt: Date;
}

/** A leaf; without what was sent with it where another probe saw it. */
interface SeenLeaf extends ServedLeaf {
  readonly targetId: string;
  readonly address: string;
  readonly served: ServedCertificate | undefined;
}

// serial numbers have 20 octets (RFC 5280 §4.1.2.2); databases index them
const maxSerialLength = 64;
const maxPemLength = 65_536;

/**
 * Stores what the addresses of an FQDN serve as its newest certificate, if that is to be adopted and the policy of the space
 * allows it. The rows of `served_fqdns` and of the FQDN are locked. Returns whether a certificate was stored.
 */
export async function adoptServed(
  tx: Tx,
  emit: CertificateEvents,
  observed: Adoptable,
  { fqdn, caller, now }: Adopter,
): Promise<boolean> {
  const newest = await findNewest(tx, fqdn.id);
  // one that CertLoop obtained is what should be served
  if (newest?.row.importedAt === null) return false;
  const seen = await listSeen(tx, observed, newest);
  const chosen = adoptionOf(seen, newest && datesOf(newest), observed.observedAt);
  if (chosen === undefined) return false;
  if (chosen.served === undefined) {
    await probeNow(tx, chosen.targetId, now);
    return false;
  }
  if ((await findRefusal(tx, { fqdn })) !== undefined) return false;
  const [refusal] = await findNameRefusals(tx, [{ caller, fqdn }]);
  if (refusal !== undefined) return false;
  const chain = fullestOf(seen, chosen, observed.observedAt);
  const place = hostPortOf(chosen.address, observed.target.port);
  await storeAdopted(tx, emit, { fqdn, caller, now }, { chain, place, targetId: chosen.targetId });
  return true;
}

/** Returns what is served at this target and at the other adopting ones of its FQDN. */
async function listSeen(
  tx: Tx,
  { target, found }: Adoptable,
  newest: Newest | undefined,
): Promise<SeenLeaf[]> {
  const fresh = found.flatMap(({ address = '', observation }) => {
    if (!('served' in observation)) return [];
    const served = chosenOf(observation.served, newest);
    const { leaf } = served;
    if (leaf.serialNumber.length > maxSerialLength) return [];
    const { notBefore, notAfter } = leaf;
    const sha256 = fingerprint(leaf.der);
    const isFitting = coversName(leaf, target.sni);
    return [{ sha256, notBefore, notAfter, isFitting, targetId: target.id, address, served }];
  });
  const probed = new Set(fresh.map(({ address }) => address));
  const all = await listTargetsOf(tx, target.fqdnId);
  const adopting = all.filter(({ adopt, enabled }) => adopt === true && enabled);
  const states = await listStates(tx, adopting);
  const others = states.filter(({ targetId, address }) => targetId !== target.id || !probed.has(address));
  return [...fresh, ...others.flatMap(seenIn)];
}

function seenIn({ targetId, address, class: found, ...state }: TargetStateRow): SeenLeaf[] {
  const { leafSha256: sha256, notBefore, notAfter } = state;
  if (sha256 === null || notBefore === null || notAfter === null) return [];
  const isFitting = found !== 'name_mismatch';
  return [{ sha256, notBefore, notAfter, isFitting, targetId, address, served: undefined }];
}

/** Of two certificates the one with the same kind of key as the newest. */
function chosenOf(
  all: readonly [ServedCertificate, ...ServedCertificate[]],
  newest: Newest | undefined,
): ServedCertificate {
  const wanted = newest && keyAlgorithmOf(newest.leaf);
  return all.find(({ leaf }) => keyAlgorithmOf(leaf) === wanted) ?? all[0];
}

/** Whether an address serves another certificate than that of the fingerprint. */
export function isUnlike(found: readonly AddressObservation[], newestSha256: string | undefined): boolean {
  return found.some(
    ({ observation }) =>
      'served' in observation &&
      observation.served.every(({ leaf }) => fingerprint(leaf.der) !== newestSha256),
  );
}

/** Dates of the newest certificate, to compare others with. */
function datesOf({ fingerprint: sha256, leaf: { notBefore, notAfter } }: Newest) {
  return { sha256, notBefore, notAfter };
}

/** The longest chain with which the leaf is served. */
function fullestOf(seen: readonly SeenLeaf[], { sha256 }: SeenLeaf, now: Date): ServedChain {
  const chains = seen.flatMap(({ served, ...one }) =>
    served !== undefined && one.sha256 === sha256 ? [servedChainOf(served.leaf, served.others, now)] : [],
  );
  const [first, ...others] = chains;
  if (first === undefined) throw new RangeError('a leaf that was just seen has its chain');
  return others.reduce((best, one) => (one.others.length > best.others.length ? one : best), first);
}

interface Adopted {
  readonly chain: ServedChain;
  readonly place: string;
  readonly targetId: string;
}

async function storeAdopted(
  tx: Tx,
  emit: CertificateEvents,
  { fqdn, caller, now }: Adopter,
  { chain, place, targetId }: Adopted,
): Promise<void> {
  const full = formatIssuedChain(chain);
  const usable = full.length > maxPemLength ? { leaf: chain.leaf, others: [] } : chain;
  const facts = leafFacts(usable);
  const { unverified } = chain;
  const auditOf = (row: CertificateRow): AuditEntry => {
    const { id, serialNumber: serial, spkiSha256, issuer } = row;
    const details = {
      fqdn: fqdn.fqdn,
      fqdnId: fqdn.id,
      serial,
      spkiSha256,
      issuer,
      ...endsView(row),
      place,
      targetId,
      ...(unverified !== undefined && { unverified: true, reason: unverified }),
    };
    const resource = { resourceType: 'certificate', resourceId: id, spaceId: fqdn.spaceId };
    return { action: 'certificate.adopted', ...resource, details };
  };
  const certificate = {
    id: newRowId(now),
    fqdnId: fqdn.id,
    csrId: null,
    providerId: null,
    upstreamId: null,
    pem: formatIssuedChain(usable),
    ...facts,
    issuer: readableText(facts.issuer),
    createdAt: now,
    refreshedAt: null,
    importedAt: now,
    source: 'served' as const,
    ...ofNoClient,
  };
  const stored = await storeCertificate(tx, { caller, fqdn, certificate, auditOf }, { now, emit });
  if (stored.isNew || stored.certificate.replacedAt === null) return;
  // an import has replaced it by an earlier one
  const restored = await restoreAsNewest(tx, stored.certificate, now);
  await recordAudit(tx, caller, auditOf(restored), now);
  await emit.certificateRefreshed(tx, { fqdn });
}
