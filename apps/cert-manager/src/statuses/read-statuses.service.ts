import type { CsrFinding } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { type CsrRules, csrRulesOf } from '../csrs/csr-findings.js';
import type { CsrRow } from '../csrs/csrs.repository.js';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import { type ComputedStatus, stateAt } from './computed-status.js';
import type { AtWork } from './fqdn-status.js';
import {
  type FoundStatus,
  listShownCertificates,
  readFound,
  type ShownCertificate,
} from './fqdn-status.repository.js';
import { findCovering } from './lineages/covered-names.repository.js';
import type { SpokenLineages } from './lineages/lineage-text.js';
import { readSpoken } from './lineages/read-lineages.service.js';
import { readStoredLineages } from './lineages/stored-lineages.js';
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
  /** Of ACME clients that are expected to renew it. */
  readonly lineages: SpokenLineages | undefined;
  /** FQDN whose ACME client has a certificate that covers this one, which has none. */
  readonly coveredBy: { readonly id: string; readonly fqdn: string } | undefined;
  readonly now: Date;
}

/** The same before the algorithm of its key and the findings about its CSR are known. */
export type ReadStatus = Omit<DatedStatus, 'certificate' | 'csr'> & {
  readonly certificate: ShownCertificate | undefined;
  readonly csr: Pick<CsrRow, 'id' | 'createdAt'> | undefined;
  /** By which its CSR is judged. */
  readonly rules: CsrRules;
};

/** How the FQDNs stand, by their ids; at least one is asked for. */
export async function readStatuses(
  tx: Tx,
  fqdns: readonly FqdnRow[],
  now: Date,
): Promise<ReadonlyMap<string, ReadStatus>> {
  const ids = fqdns.map(({ id }) => id);
  const names = new Map(fqdns.map(({ id, fqdn }) => [id, fqdn]));
  const found = await withStatuses(tx, await readFound(tx, ids), now);
  const stored = found.flatMap(({ id, status }) => {
    const lineages = readStoredLineages(status.lineages);
    return lineages === undefined ? [] : [[id, lineages] as const];
  });
  const spoken = await readSpoken(tx, new Map(stored));
  const bare = new Set(found.flatMap(({ id, status }) => (status.certificateId === null ? [id] : [])));
  const covering = await findCovering(
    tx,
    fqdns.filter(({ id }) => bare.has(id)),
  );
  return new Map(
    found.map(({ id, status: row, csr, provider, ...shown }) => {
      const status = computedIn(row);
      return [
        id,
        {
          ...shown,
          status,
          state: stateAt(status, now),
          lineages: spoken.get(id),
          coveredBy: covering.get(id),
          csr,
          rules: csrRulesOf(provider, names.get(id)),
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
