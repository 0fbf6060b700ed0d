import type { CsrFinding } from '@certloop/contracts';
import { describeCertificate, parseCertificate, splitChain } from '@certloop/crypto';
import type { Tx } from '@certloop/db';
import { findingsOf } from '../csrs/csr-view.js';
import { type CsrRow, listLatestCsrs } from '../csrs/csrs.repository.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { AtWork } from './fqdn-status.js';
import {
  listCertificateTexts,
  listCheckUuids,
  listOpenJobs,
  listOpenRenewals,
  listShownCertificates,
  listStandings,
  type ShownCertificate,
} from './fqdn-status.repository.js';
import { standingRowsOf } from './restate.service.js';
import { type Standing, stateAt } from './standing.js';
import { readFacts } from './standing-facts.repository.js';
import { never, type StandingRow } from './standings.repository.js';

/** How an FQDN stands, with all that is shown of that. */
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
  const rows = await readRows(tx, ids, now);
  const certificates = await readCertificates(tx, rows, keyAlgorithms);
  const csrs = new Map((await listLatestCsrs(tx, ids)).map((csr) => [csr.fqdnId, csr]));
  const renewals = new Map((await listOpenRenewals(tx, ids)).map((entry) => [entry.fqdnId, entry]));
  const jobs = new Map((await listOpenJobs(tx, ids)).map(({ fqdnId, status }) => [fqdnId, status]));
  const checks = await listCheckUuids(tx, ids);
  return new Map(
    rows.map((row) => {
      const standing = standingIn(row);
      const csr = csrs.get(row.id);
      return [
        row.id,
        {
          standing,
          state: stateAt(standing, now),
          certificate: certificates.get(row.certificateId ?? ''),
          csr: csr && { id: csr.id, createdAt: csr.createdAt, findings: findingsOf(csr) },
          renewal: renewals.get(row.id),
          job: jobs.get(row.id),
          checkUuid: checks.get(row.id),
          now,
        },
      ];
    }),
  );
}

async function readRows(tx: Tx, ids: readonly string[], now: Date): Promise<StandingRow[]> {
  const rows = await listStandings(tx, ids);
  if (rows.length === ids.length) return rows;
  // one that a process of an earlier version has just added, before the sweep
  const found = new Set(rows.map(({ id }) => id));
  const facts = await readFacts(
    tx,
    ids.filter((id) => !found.has(id)),
  );
  return [...rows, ...(await standingRowsOf(tx, facts, [], now))];
}

/** A standing as the rule has it. */
function standingIn(row: StandingRow): Standing {
  const orNull = (moment: Date) => (moment.getTime() === never.getTime() ? null : moment);
  return {
    ...row,
    expiresAt: orNull(row.expiresAt),
    renewAt: orNull(row.renewAt),
    attentionAt: orNull(row.attentionAt),
  };
}

async function readCertificates(tx: Tx, rows: readonly StandingRow[], known: KeyAlgorithms) {
  const ids = rows.flatMap(({ certificateId }) => (certificateId === null ? [] : [certificateId]));
  if (ids.length === 0) return new Map<string, ShownCertificate & { keyAlgorithm: string }>();
  const shown = await listShownCertificates(tx, ids);
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
