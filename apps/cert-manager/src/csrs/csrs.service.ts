import type { CsrFinding } from '@certloop/contracts';
import { type ListPage, slicesOf, type Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireFullAccess, requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, getFqdn } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { isShortPage, type StoredWindow } from '../fqdns/stored-order.repository.js';
import { findProvider } from '../providers/providers.repository.js';
import { type CsrRules, csrRulesOf, findingsOf } from './csr-findings.js';
import { type CsrRow, csrNotFound, deleteEveryCsr, findLatestCsr, readCsrPage } from './csrs.repository.js';

export interface CsrsDeps extends ChangeCsrsDeps {
  /** Returns the keys for which a certificate was revoked as compromised. */
  readonly listCompromisedKeys: (tx: Tx, keys: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** Returns the findings about one of the CSRs. */
export type FindingsOn = (csr: CsrRow) => CsrFinding[];

/** The FQDN with its CSRs in the order of their storing. Throws NotFound. */
export async function listCsrs(
  { db, listCompromisedKeys }: CsrsDeps,
  caller: Caller,
  { spaceId, fqdnId, window }: FqdnPlace & { readonly window: StoredWindow },
): Promise<{
  readonly fqdn: FqdnRow;
  readonly page: ListPage<CsrRow>;
  readonly findingsOn: FindingsOn;
}> {
  requireLevel(caller, spaceId, 'READ');
  const { fqdn, rules } = await db.read(async (tx) => {
    const found = await getFqdn(tx, spaceId, fqdnId);
    return { fqdn: found, rules: await readCsrRules(tx, found) };
  });
  const read = isShortPage(window) ? db.read : db.longRead;
  const { page, compromised } = await read(async (tx) => {
    const found = await readCsrPage(tx, fqdnId, window);
    const keys = [...new Set(found.rows.map(({ spkiSha256 }) => spkiSha256))];
    const compromised: string[] = [];
    for (const slice of slicesOf(keys, 500)) compromised.push(...(await listCompromisedKeys(tx, slice)));
    return { page: found, compromised: new Set(compromised) };
  });
  return { fqdn, page, findingsOn: (csr) => findingsOf(csr, rules, compromised) };
}

/** The FQDN with the CSR that came last. Throws NotFound, also when there is no CSR. */
export async function getLatestCsr(
  { db, listCompromisedKeys }: CsrsDeps,
  caller: Caller,
  { spaceId, fqdnId }: FqdnPlace,
): Promise<{ readonly fqdn: FqdnRow; readonly csr: CsrRow; readonly findings: readonly CsrFinding[] }> {
  requireLevel(caller, spaceId, 'READ');
  const { fqdn, csr, rules, compromised } = await db.read(async (tx) => {
    const found = await getFqdn(tx, spaceId, fqdnId);
    const latest = await findLatestCsr(tx, fqdnId);
    if (latest === undefined) throw csrNotFound('no CSR is stored for this FQDN');
    const keys = await listCompromisedKeys(tx, [latest.spkiSha256]);
    return { fqdn: found, csr: latest, rules: await readCsrRules(tx, found), compromised: keys };
  });
  return { fqdn, csr, findings: findingsOf(csr, rules, compromised) };
}

/** The rules by which CSRs of the FQDN are judged. */
export async function readCsrRules(tx: Tx, { fqdn, providerId }: FqdnRow): Promise<CsrRules> {
  const provider = providerId === null ? undefined : await findProvider(tx, providerId);
  return csrRulesOf(provider, fqdn);
}

export interface ChangeCsrsDeps extends DbDeps {
  readonly emit: CsrEvents;
}

/** Events of CSRs; `changes/reactions.service.ts` lists what follows each of them. */
export interface CsrEvents {
  /** The FQDN, which is locked, has a newer CSR. */
  csrStored(tx: Tx, event: { readonly fqdn: FqdnRow }): Promise<void>;
  /** All CSRs of all FQDNs were deleted. */
  csrsDeleted(tx: Tx, event: { readonly caller: Caller }): Promise<void>;
}

/** Deletes the CSRs of all spaces and returns how many there were. Throws Forbidden. */
export async function deleteAllCsrs({ db, clock, emit }: ChangeCsrsDeps, caller: Caller): Promise<number> {
  requireFullAccess(caller);
  return db.longTransaction(async (tx) => {
    const deletedCount = await deleteEveryCsr(tx);
    const entry = { action: 'csr.deleteAll', resourceType: 'csr', details: { deletedCount } } as const;
    await recordAudit(tx, caller, entry, clock.now());
    await emit.csrsDeleted(tx, { caller });
    return deletedCount;
  });
}
