import { InvalidInput } from '@certloop/contracts';
import {
  type Csr,
  csrLabels,
  describeCsr,
  describeRsaKey,
  formatPem,
  parseCsr,
  parsePem,
  spkiSha256,
  verifyCsr,
} from '@certloop/crypto';
import { newRowId, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import { type FqdnRow, getFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { csrFindings, isKeyAllowed, requireUsableCsr } from '../judging/csr-policy.js';
import { readHostname } from '../judging/hostname.js';
import { lockSpacesForShare } from '../spaces/spaces.repository.js';
import { askedNames } from './asked-names.js';
import { type CsrDifference, csrDifference } from './csr-difference.js';
import { formatDescription } from './csr-view.js';
import { type CsrRow, findLatestCsr, insertCsr } from './csrs.repository.js';
import type { CsrsDeps } from './csrs.service.js';
import { requireAllowed } from './judge-issuance.service.js';

export interface CsrUpload extends FqdnPlace {
  /** Content of the file, expected to be PEM text. */
  readonly file: Uint8Array;
  /** What the request itself says the CSR is for. */
  readonly stated: { readonly spaceId: string; readonly fqdn: string };
}

export interface UploadCsrDeps extends CsrsDeps {
  /** Makes what depends on the newest CSR of an FQDN follow it; the FQDN is locked. */
  readonly onCsrStored: (tx: Tx, caller: Caller, fqdn: FqdnRow) => Promise<void>;
}

/**
 * Stores a CSR for an FQDN and returns both. The PEM text is stored in its canonical form, its DER byte for byte.
 * Throws NotFound and Forbidden. Throws InvalidInput if the file is not a CSR, its signature does not match its key, the
 * key is not accepted, the CSR does not name the FQDN, or the policy of the space does not allow one of its names; such
 * a rejection is audited, without the content.
 */
export async function uploadCsr(
  deps: UploadCsrDeps,
  caller: Caller,
  upload: CsrUpload,
): Promise<{ readonly fqdn: FqdnRow; readonly csr: CsrRow }> {
  const { db, clock } = deps;
  const { spaceId, fqdnId } = upload;
  requireLevel(caller, spaceId, 'READ_WRITE');
  const fqdn = await db.read((tx) => getFqdn(tx, spaceId, fqdnId));
  const stored = await auditRejection(deps, caller, fqdn, () => judge(upload, fqdn));
  const now = clock.now();
  const store = async (tx: Tx) => {
    // locked, so that a change of the policy either is seen here or finds the CSR
    await lockSpacesForShare(tx, [spaceId]);
    const held = await lockFqdn(tx, spaceId, fqdnId);
    await requireAllowed(tx, { fqdn: held, csr: stored });
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
    await deps.onCsrStored(tx, caller, held);
    return row;
  };
  const csr = await auditRejection(deps, caller, fqdn, () => db.transaction(store));
  return { fqdn, csr };
}

/**
 * Judges a CSR as uploadCsr does and stores nothing, no audit entry either; returns also how it differs from the newest
 * one of the FQDN, if there is one. Throws what uploadCsr throws.
 */
export async function reviewCsr(
  { db }: CsrsDeps,
  caller: Caller,
  upload: CsrUpload,
): Promise<{ readonly fqdn: FqdnRow; readonly csr: JudgedCsr; readonly differs?: CsrDifference }> {
  const { spaceId, fqdnId } = upload;
  requireLevel(caller, spaceId, 'READ_WRITE');
  const fqdn = await db.read((tx) => getFqdn(tx, spaceId, fqdnId));
  const csr = await judge(upload, fqdn);
  return db.read(async (tx) => {
    await requireAllowed(tx, { fqdn, csr });
    const newest = await findLatestCsr(tx, fqdnId);
    return { fqdn, csr, ...(newest !== undefined && { differs: csrDifference(csr, newest) }) };
  });
}

export type JudgedCsr = Pick<CsrRow, 'csrPem' | 'description' | 'spkiSha256'>;

/** What is stored of an upload. Throws InvalidInput. */
async function judge({ file, stated }: CsrUpload, fqdn: FqdnRow): Promise<JudgedCsr> {
  requireStated(stated, fqdn);
  const csr = parseFile(file);
  const description = describeCsr(csr);
  const { version, subjectAltNameDer } = csr;
  const facts = {
    ...description,
    version,
    hasSubjectAltName: subjectAltNameDer !== undefined,
    // a key whose size is rejected anyway is not analysed
    ...(isKeyAllowed(description) && { rsa: describeRsaKey(csr.spkiDer) }),
  };
  requireUsableCsr(facts, fqdn.fqdn);
  await requirePossession(csr);
  return {
    csrPem: formatPem(csrLabels[0], csr.der),
    description: formatDescription(description, askedNames(csr), csrFindings(facts, fqdn.fqdn)),
    spkiSha256: spkiSha256(csr.spkiDer),
  };
}

/** Throws InvalidInput unless the request says what its path says. */
function requireStated(stated: CsrUpload['stated'], fqdn: FqdnRow): void {
  if (stated.spaceId !== fqdn.spaceId) throw statedFault('spaceId', 'is not the space of the path');
  if (readHostname(stated.fqdn).hostname !== fqdn.fqdn) {
    throw statedFault('fqdn', `is not the FQDN of the path, ${fqdn.fqdn}`);
  }
}

function statedFault(path: string, message: string): InvalidInput {
  return new InvalidInput(`${path}: ${message}`, { fields: [{ path, code: 'mismatch', message }] });
}

/** RFC 2986 §4.2: the signature proves that the requester holds the private key. */
async function requirePossession(csr: Csr): Promise<void> {
  const verification = await verifyCsr(csr);
  if (!verification.ok) throw csrFault(verification.code, `its signature is refused: ${verification.reason}`);
}

/** The CSR that the file holds as its only PEM block. Throws InvalidInput. */
function parseFile(file: Uint8Array): Csr {
  try {
    return parseCsr(parsePem(Buffer.from(file).toString('utf8'), csrLabels));
  } catch (error) {
    throw error instanceof InvalidInput ? csrFault(error.code, error.message, error) : error;
  }
}

function csrFault(code: string, message: string, cause?: InvalidInput): InvalidInput {
  return new InvalidInput(`csr: ${message}`, {
    code,
    title: cause?.title ?? 'Not a valid CSR',
    fields: [{ path: 'csr', code, message }],
    cause,
  });
}

/** Returns what `work` returns; a rejection is audited before it is thrown on. */
async function auditRejection<T>(
  { db, clock }: CsrsDeps,
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
