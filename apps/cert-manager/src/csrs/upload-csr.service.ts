import { type CsrFinding, InvalidInput } from '@certloop/contracts';
import { newRowId, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, getFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { lockSpacesForShare } from '../spaces/spaces.repository.js';
import { type CsrDifference, csrDifference } from './csr-difference.js';
import { findingsOf } from './csr-findings.js';
import { type CsrRow, findLatestCsr, insertCsr } from './csrs.repository.js';
import { type CsrsDeps, readCsrRules } from './csrs.service.js';
import { requireIssuanceAllowed } from './issuance-refusals.service.js';
import { rejectHeldNames } from './name-refusals.service.js';
import { type CsrUpload, type ValidatedCsr, validateCsr } from './validate-csr.service.js';

/**
 * Stores a CSR for an FQDN and returns both. The PEM text is stored in its canonical form, its DER byte for byte.
 * Throws NotFound and Forbidden. Throws InvalidInput if the file is not a CSR, its signature does not match its key, the
 * key is not accepted, the CSR does not name the FQDN, the policy of the space does not allow one of its names, or
 * another space holds one; such a rejection is audited, without the content.
 */
export async function uploadCsr(
  deps: CsrsDeps,
  caller: Caller,
  upload: CsrUpload,
): Promise<{ readonly fqdn: FqdnRow; readonly csr: CsrRow; readonly findings: readonly CsrFinding[] }> {
  const { db, clock } = deps;
  const { spaceId, fqdnId } = upload;
  requireLevel(caller, spaceId, 'READ_WRITE');
  const { fqdn, rules } = await db.read((tx) => readPlace(tx, upload));
  const stored = await auditRejection(deps, caller, fqdn, () => validateCsr(upload, fqdn, rules));
  const now = clock.now();
  const store = async (tx: Tx) => {
    // locked, so that a change of the policy either is seen here or finds the CSR
    await lockSpacesForShare(tx, [spaceId]);
    const held = await lockFqdn(tx, spaceId, fqdnId);
    await requireIssuanceAllowed(tx, { fqdn: held, csr: stored });
    await rejectHeldNames(tx, { caller, fqdn: held, csr: stored });
    const row = await insertCsr(tx, { id: newRowId(now), fqdnId, ...stored, createdAt: now });
    const details = { fqdn: fqdn.fqdn, fqdnId, spkiSha256: row.spkiSha256 };
    const entry = {
      action: 'csr.upload',
      resourceType: 'csr',
      resourceId: row.id,
      spaceId,
      details,
    } as const;
    await recordAudit(tx, caller, entry, now);
    await deps.emit.csrStored(tx, { fqdn: held });
    return row;
  };
  const csr = await auditRejection(deps, caller, fqdn, () => db.transaction(store));
  const compromised = await db.read((tx) => deps.listCompromisedKeys(tx, [csr.spkiSha256]));
  return { fqdn, csr, findings: findingsOf(csr, rules, compromised) };
}

async function readPlace(tx: Tx, { spaceId, fqdnId }: CsrUpload) {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  return { fqdn, rules: await readCsrRules(tx, fqdn) };
}

/** A CSR that was judged, and how it differs from the newest one. */
interface CsrReviewed {
  readonly fqdn: FqdnRow;
  readonly csr: ValidatedCsr;
  readonly findings: readonly CsrFinding[];
  readonly differs?: CsrDifference;
}

/**
 * Judges a CSR as uploadCsr does and stores nothing, no audit entry either; returns also how it differs from the newest
 * one of the FQDN, if there is one. Throws what uploadCsr throws.
 */
export async function reviewCsr(
  { db, listCompromisedKeys }: CsrsDeps,
  caller: Caller,
  upload: CsrUpload,
): Promise<CsrReviewed> {
  const { spaceId, fqdnId } = upload;
  requireLevel(caller, spaceId, 'READ_WRITE');
  const { fqdn, rules } = await db.read((tx) => readPlace(tx, upload));
  const csr = await validateCsr(upload, fqdn, rules);
  return db.read(async (tx) => {
    await requireIssuanceAllowed(tx, { fqdn, csr });
    await rejectHeldNames(tx, { caller, fqdn, csr });
    const newest = await findLatestCsr(tx, fqdnId);
    const findings = findingsOf(csr, rules, await listCompromisedKeys(tx, [csr.spkiSha256]));
    return { fqdn, csr, findings, ...(newest !== undefined && { differs: csrDifference(csr, newest) }) };
  });
}

/** Returns what `work` returns; a rejection is audited before it is thrown on. */
async function auditRejection<T>(
  { db, clock }: DbDeps,
  caller: Caller,
  { id, spaceId, fqdn }: FqdnRow,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const entry = {
      action: 'csr.reject',
      resourceType: 'fqdn',
      resourceId: id,
      spaceId,
      outcome: 'failure',
      details: { fqdn, code: error.code, reason: error.message.slice(0, 500) },
    } as const;
    await db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
    throw error;
  }
}
