import type { CsrFinding } from '@certloop/contracts';
import { describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import { type Database, slicesOf, yieldBetween } from '@certloop/db';
import { type CsrRules, findingsOf } from '../csrs/csr-findings.js';
import type { CsrRow } from '../csrs/csrs.repository.js';
import { listCertificateTexts, listCsrTexts } from './fqdn-status.repository.js';
import type { DatedStatus, ReadStatus } from './read-statuses.service.js';

// fingerprints of 64 characters, and a few findings each: some megabytes
const maxKnown = 20_000;

// of 64 KiB each
const textsAtOnce = 20;

/** Facts about keys and CSRs that earlier requests have computed. */
export interface KnownFacts {
  /** Names of key algorithms by the fingerprints of keys, which never change. */
  readonly keyAlgorithms: Map<string, string>;
  /** Findings by CSR and the rules that were applied. */
  readonly csrFindings: Map<string, readonly CsrFinding[]>;
}

export function createKnownFacts(): KnownFacts {
  return { keyAlgorithms: new Map(), csrFindings: new Map() };
}

/** The statuses with the algorithms of keys and the findings about CSRs, without their fixes. */
export async function withTextFacts(
  db: Pick<Database, 'longRead'>,
  statuses: ReadonlyMap<string, ReadStatus>,
  known: KnownFacts,
): Promise<ReadonlyMap<string, DatedStatus>> {
  const findings = await findFindings(db, [...statuses.values()], known.csrFindings);
  const shown = [...statuses.values()].flatMap(({ certificate }) => certificate ?? []);
  const algorithms = await findAlgorithms(
    db,
    new Map(shown.map(({ id, spkiSha256 }) => [spkiSha256, id])),
    known.keyAlgorithms,
  );
  return new Map(
    [...statuses].map(([id, { rules, ...status }]) => {
      const { certificate, csr } = status;
      const keyAlgorithm = algorithms.get(certificate?.spkiSha256 ?? '') ?? 'unknown';
      const shown = csr && { ...csr, findings: findings.get(findingsKey(csr, rules)) ?? [] };
      return [id, { ...status, certificate: certificate && { ...certificate, keyAlgorithm }, csr: shown }];
    }),
  );
}

/**
 * The algorithms of keys by their fingerprints; each key has the id of a certificate. Others have turns between the
 * certificates that are read, since one with thousands of names takes milliseconds.
 */
async function findAlgorithms(
  db: Pick<Database, 'longRead'>,
  certificateIds: ReadonlyMap<string, string>,
  known: Map<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const unknown = [...certificateIds].filter(([key]) => !known.has(key));
  for (const key of certificateIds.keys()) found.set(key, known.get(key) ?? 'unknown');
  for await (const slice of yieldBetween(slicesOf(unknown, textsAtOnce))) {
    const keys = new Map(slice.map(([key, id]) => [id, key]));
    const texts = await db.longRead((tx) => listCertificateTexts(tx, [...keys.keys()]));
    if (known.size + keys.size > maxKnown) known.clear();
    for await (const { id, pem } of yieldBetween(texts)) {
      const key = keys.get(id) ?? '';
      const algorithm = algorithmOf(pem);
      found.set(key, algorithm);
      known.set(key, algorithm);
    }
  }
  return found;
}

const findingsKey = ({ id }: Pick<CsrRow, 'id'>, { profile, maxNames }: CsrRules): string =>
  `${id} ${profile} ${maxNames ?? ''}`;

/** The findings about the CSRs, with turns for others between those that are read. */
async function findFindings(
  db: Pick<Database, 'longRead'>,
  statuses: readonly ReadStatus[],
  known: KnownFacts['csrFindings'],
): Promise<ReadonlyMap<string, readonly CsrFinding[]>> {
  const found = new Map<string, readonly CsrFinding[]>();
  const unknown = new Map<string, CsrRules>();
  for (const { csr, rules } of statuses) {
    if (csr === undefined) continue;
    const key = findingsKey(csr, rules);
    const findings = known.get(key);
    if (findings === undefined) unknown.set(csr.id, rules);
    else found.set(key, findings);
  }
  for await (const slice of yieldBetween(slicesOf([...unknown], textsAtOnce))) {
    const texts = await db.longRead((tx) =>
      listCsrTexts(
        tx,
        slice.map(([id]) => id),
      ),
    );
    if (known.size + slice.length > maxKnown) known.clear();
    for await (const csr of yieldBetween(texts)) {
      const rules = unknown.get(csr.id);
      if (rules === undefined) continue;
      const findings = findingsOf(csr, rules, noKeys).map(({ fix: _, ...finding }) => finding);
      found.set(findingsKey(csr, rules), findings);
      known.set(findingsKey(csr, rules), findings);
    }
  }
  return found;
}

// a status says in its reason that a key is compromised
const noKeys: ReadonlySet<string> = new Set();

function algorithmOf(pem: string): string {
  const [der] = splitChain(pem);
  return der === undefined ? 'unknown' : describeCertificate(parseCertificate(der)).publicKeyAlgorithm;
}
