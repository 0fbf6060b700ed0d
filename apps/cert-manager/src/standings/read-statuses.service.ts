import type { CsrFinding } from '@certloop/contracts';
import { describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import type { Tx } from '@certloop/db';
import { findingsOf } from '../csrs/csr-view.js';
import type { CsrRow } from '../csrs/csrs.repository.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { AtWork } from './fqdn-status.js';
import {
  type FoundStatus,
  listCertificateTexts,
  listShownCertificates,
  readFound,
  type ShownCertificate,
} from './fqdn-status.repository.js';
import { type Standing, stateAt } from './standing.js';
import { readFacts } from './standing-facts.repository.js';
import { standingRowsOf } from './standing-rows.service.js';
import { noDate, type StandingRow } from './standings.repository.js';

/** The state of an FQDN, with all that is shown of that. */
export interface FqdnStanding extends AtWork {
  readonly standing: Standing;
  readonly state: ReturnType<typeof stateAt>;
  readonly certificate: (ShownCertificate & { readonly keyAlgorithm: string }) | undefined;
  readonly csr: (Pick<CsrRow, 'id' | 'createdAt'> & { readonly findings: readonly CsrFinding[] }) | undefined;
  readonly checkUuid: string | undefined;
  readonly now: Date;
}

/** Names of key algorithms by the fingerprints of keys, which never change. */
export type KeyAlgorithms = Map<string, string>;

// fingerprints of 64 characters: some megabytes
const maxKnownKeys = 20_000;

/** How the FQDNs stand, by their ids; at least one is asked for. */
export async function readStatuses(
  tx: Tx,
  fqdns: readonly FqdnRow[],
  { now, keyAlgorithms }: { readonly now: Date; readonly keyAlgorithms: KeyAlgorithms },
): Promise<ReadonlyMap<string, FqdnStanding>> {
  const ids = fqdns.map(({ id }) => id);
  const found = await withStandings(tx, await readFound(tx, ids), now);
  const certificates = await withAlgorithms(
    tx,
    found.flatMap(({ certificate }) => certificate ?? []),
    keyAlgorithms,
  );
  return new Map(
    found.map(({ id, standing: row, certificate, csr, renewal, job, checkUuid }) => {
      const standing = standingIn(row);
      return [
        id,
        {
          standing,
          state: stateAt(standing, now),
          certificate: certificates.get(certificate?.id ?? ''),
          csr: csr && { id: csr.id, createdAt: csr.createdAt, findings: findingsOf(csr) },
          renewal,
          job,
          checkUuid,
          now,
        },
      ];
    }),
  );
}

/** Computes the standings that are not stored yet. */
async function withStandings(tx: Tx, found: readonly FoundStatus[], now: Date) {
  const missing = found.flatMap(({ id, standing }) => (standing === undefined ? [id] : []));
  const rows = missing.length === 0 ? [] : await standingRowsOf(tx, await readFacts(tx, missing), [], now);
  const certificateIds = rows.flatMap(({ certificateId }) => certificateId ?? []);
  const shown = certificateIds.length === 0 ? [] : await listShownCertificates(tx, certificateIds);
  return found.flatMap((one) => {
    if (one.standing !== undefined) return [{ ...one, standing: one.standing }];
    const standing = rows.find(({ id }) => id === one.id);
    const certificate = shown.find(({ id }) => id === standing?.certificateId);
    return standing === undefined ? [] : [{ ...one, standing, certificate }];
  });
}

/** A standing as the rule has it. */
function standingIn(row: StandingRow): Standing {
  const orNull = (moment: Date) => (moment.getTime() === noDate.getTime() ? null : moment);
  return {
    ...row,
    expiresAt: orNull(row.expiresAt),
    renewAt: orNull(row.renewAt),
    attentionAt: orNull(row.attentionAt),
  };
}

/** The certificates with the algorithms of their keys, by their ids. */
async function withAlgorithms(tx: Tx, shown: readonly ShownCertificate[], known: KeyAlgorithms) {
  const unknown = shown.filter(({ spkiSha256 }) => !known.has(spkiSha256));
  const keys = new Map(unknown.map(({ id, spkiSha256 }) => [id, spkiSha256]));
  if (known.size + unknown.length > maxKnownKeys) known.clear();
  for (const { id, pem } of unknown.length === 0 ? [] : await listCertificateTexts(tx, [...keys.keys()])) {
    known.set(keys.get(id) ?? '', algorithmOf(pem));
  }
  return new Map(
    shown.map((one) => [one.id, { ...one, keyAlgorithm: known.get(one.spkiSha256) ?? 'unknown' }]),
  );
}

function algorithmOf(pem: string): string {
  const [der] = splitChain(pem);
  return der === undefined ? 'unknown' : describeCertificate(parseCertificate(der)).publicKeyAlgorithm;
}
