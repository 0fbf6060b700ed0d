import type { CsrFinding } from '@certloop/contracts';
import { describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import { type Database, slicesOf, type Tx, yieldBetween } from '@certloop/db';
import { findingsIn } from '../csrs/csr-view.js';
import type { CsrRow } from '../csrs/csrs.repository.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import { type ComputedStatus, stateAt } from './computed-status.js';
import type { AtWork } from './fqdn-status.js';
import {
  type FoundStatus,
  listCertificateTexts,
  listShownCertificates,
  readFound,
  type ShownCertificate,
} from './fqdn-status.repository.js';
import type { TargetProtocol } from './renewal-owner.js';
import { readFacts } from './status-facts.repository.js';
import { statusRowsOf } from './status-rows.service.js';
import { type FqdnStatusRow, noDate } from './statuses.repository.js';

/** The state of an FQDN, with all that is shown of that. */
export interface DatedStatus extends AtWork {
  readonly status: ComputedStatus;
  readonly state: ReturnType<typeof stateAt>;
  readonly certificate: (ShownCertificate & { readonly keyAlgorithm: string }) | undefined;
  readonly csr: (Pick<CsrRow, 'id' | 'createdAt'> & { readonly findings: readonly CsrFinding[] }) | undefined;
  readonly checkUuid: string | undefined;
  readonly protocols: readonly TargetProtocol[];
  readonly isAdopting: boolean;
  readonly now: Date;
}

/** The same before the algorithm of its key is known. */
type ReadStatus = Omit<DatedStatus, 'certificate'> & {
  readonly certificate: ShownCertificate | undefined;
};

/** Names of key algorithms by the fingerprints of keys, which never change. */
export type KeyAlgorithms = Map<string, string>;

// fingerprints of 64 characters: some megabytes
const maxKnownKeys = 20_000;

// of 64 KiB each
const textsAtOnce = 20;

/** How the FQDNs stand, by their ids; at least one is asked for. */
export async function readStatuses(
  tx: Tx,
  fqdns: readonly FqdnRow[],
  now: Date,
): Promise<ReadonlyMap<string, ReadStatus>> {
  const ids = fqdns.map(({ id }) => id);
  const found = await withStatuses(tx, await readFound(tx, ids), now);
  return new Map(
    found.map(({ id, status: row, csr, ...shown }) => {
      const status = computedIn(row);
      return [
        id,
        {
          ...shown,
          status,
          state: stateAt(status, now),
          csr: csr && { id: csr.id, createdAt: csr.createdAt, findings: findingsIn(csr.findings) },
          now,
        },
      ];
    }),
  );
}

/** Computes the statuses that are not stored yet. */
async function withStatuses(tx: Tx, found: readonly FoundStatus[], now: Date) {
  const missing = found.flatMap(({ id, status }) => (status === undefined ? [id] : []));
  const rows = missing.length === 0 ? [] : await statusRowsOf(tx, await readFacts(tx, missing), [], now);
  const certificateIds = rows.flatMap(({ certificateId }) => certificateId ?? []);
  const shown = certificateIds.length === 0 ? [] : await listShownCertificates(tx, certificateIds);
  return found.flatMap((one) => {
    if (one.status !== undefined) return [{ ...one, status: one.status }];
    const status = rows.find(({ id }) => id === one.id);
    const certificate = shown.find(({ id }) => id === status?.certificateId);
    return status === undefined ? [] : [{ ...one, status, certificate }];
  });
}

/** Returns the status of a row as the rule computes it: with null in the place of `noDate`. */
function computedIn(row: FqdnStatusRow): ComputedStatus {
  const orNull = (moment: Date) => (moment.getTime() === noDate.getTime() ? null : moment);
  return {
    ...row,
    expiresAt: orNull(row.expiresAt),
    renewAt: orNull(row.renewAt),
    attentionAt: orNull(row.attentionAt),
  };
}

/** The statuses with the algorithms of keys. */
export async function withKeyAlgorithms(
  db: Pick<Database, 'longRead'>,
  statuses: ReadonlyMap<string, ReadStatus>,
  known: KeyAlgorithms,
): Promise<ReadonlyMap<string, DatedStatus>> {
  const shown = [...statuses.values()].flatMap(({ certificate }) => certificate ?? []);
  const algorithms = await findAlgorithms(
    db,
    new Map(shown.map(({ id, spkiSha256 }) => [spkiSha256, id])),
    known,
  );
  return new Map(
    [...statuses].map(([id, status]) => {
      const { certificate } = status;
      const keyAlgorithm = algorithms.get(certificate?.spkiSha256 ?? '') ?? 'unknown';
      return [id, { ...status, certificate: certificate && { ...certificate, keyAlgorithm } }];
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
  known: KeyAlgorithms,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const unknown = [...certificateIds].filter(([key]) => !known.has(key));
  for (const key of certificateIds.keys()) found.set(key, known.get(key) ?? 'unknown');
  for await (const slice of yieldBetween(slicesOf(unknown, textsAtOnce))) {
    const keys = new Map(slice.map(([key, id]) => [id, key]));
    const texts = await db.longRead((tx) => listCertificateTexts(tx, [...keys.keys()]));
    if (known.size + keys.size > maxKnownKeys) known.clear();
    for await (const { id, pem } of yieldBetween(texts)) {
      const key = keys.get(id) ?? '';
      const algorithm = algorithmOf(pem);
      found.set(key, algorithm);
      known.set(key, algorithm);
    }
  }
  return found;
}

function algorithmOf(pem: string): string {
  const [der] = splitChain(pem);
  return der === undefined ? 'unknown' : describeCertificate(parseCertificate(der)).publicKeyAlgorithm;
}
