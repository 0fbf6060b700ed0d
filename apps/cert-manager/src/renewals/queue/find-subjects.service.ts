import type { Tx } from '@certloop/db';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { listNewestCertificates } from '../../certificates/newest-certificates.repository.js';
import { type CsrRow, findCsr, listLatestCsrs } from '../../csrs/csrs.repository.js';
import { lockFqdns } from '../../fqdns/fqdns.repository.js';
import { checkSubjects, type SubjectCheck } from '../../issuance/signing/find-obstacles.service.js';
import type { IssuanceRow } from '../../issuance/signing/issuances.repository.js';
import { listProvidersById, type ProviderRow } from '../../providers/providers.repository.js';
import { listTries, type RenewalRow, tryIdOf } from '../renewals.repository.js';
import type { RenewalSubject } from './settle-renewal.service.js';

/** Subject of a renewal: its FQDN, its provider, and the newest certificate. */
export interface FoundSubject extends RenewalSubject, SubjectCheck {
  /** PEM of the certificate whose place the new one takes. */
  readonly replaces: string | undefined;
  readonly newestId: string | undefined;
  /** The issuance of an earlier try, if there is something to continue. */
  readonly earlier: IssuanceRow | undefined;
  /** The certificate with which another process has ended an earlier try. */
  readonly stored: CertificateRow | undefined;
}

/** Subject of a renewal with the CSR to sign. */
export type SubjectWithCsr = FoundSubject & { readonly csr: CsrRow };

/**
 * The subjects of entries whose FQDNs are locked, in their order; undefined where the FQDN is gone. Costs eight statements
 * however many there are.
 */
export async function findSubjects(
  tx: Tx,
  entries: readonly RenewalRow[],
): Promise<(FoundSubject | undefined)[]> {
  const ids = entries.map(({ fqdnId }) => fqdnId);
  const tries = await listTries(tx, entries);
  const fqdns = by('id', await lockFqdns(tx, ids));
  const csrs = by('fqdnId', await listLatestCsrs(tx, ids));
  const newest = by('fqdnId', await listNewestCertificates(tx, ids));
  const usualIdOf = (entry: RenewalRow) => newest.get(entry.fqdnId)?.providerId ?? entry.providerId;
  const asked = entries.flatMap((entry) => [usualIdOf(entry), tries.get(entry.id)?.providerId ?? []].flat());
  const providers = by('id', await listProvidersById(tx, [...new Set(asked)]));
  const subjects: (Omit<FoundSubject, keyof SubjectCheck> | undefined)[] = [];
  for (const entry of entries) {
    const earlier = tries.get(entry.id);
    const fqdn = fqdns.get(entry.fqdnId);
    const provider = begunProvider(earlier, providers) ?? providers.get(usualIdOf(entry));
    const certificate = newest.get(entry.fqdnId);
    const isFound = fqdn?.spaceId === entry.spaceId && provider !== undefined;
    const subject = isFound && {
      fqdn,
      provider,
      csr: await begunCsr(tx, earlier, csrs.get(entry.fqdnId)),
      replaces: certificate?.providerId === provider.id ? certificate.pem : undefined,
      newestId: certificate?.id,
      earlier,
      stored: earlier === undefined ? storedSince(entry, certificate) : undefined,
    };
    subjects.push(subject || undefined);
  }
  return withChecks(tx, subjects);
}

/** The subjects, with whether a CA may be asked; one without a CSR is not asked for. */
async function withChecks(
  tx: Tx,
  subjects: readonly (Omit<FoundSubject, keyof SubjectCheck> | undefined)[],
): Promise<(FoundSubject | undefined)[]> {
  const asked = subjects.flatMap((subject) =>
    subject?.csr === undefined ? [] : [{ ...subject, csr: subject.csr }],
  );
  const checked = await checkSubjects(tx, asked);
  const byFqdn = new Map(asked.map(({ fqdn }, index) => [fqdn.id, checked[index]]));
  return subjects.map(
    (subject) =>
      subject && { refusal: undefined, isKeyCompromised: false, ...subject, ...byFqdn.get(subject.fqdn.id) },
  );
}

/** The newest certificate, if it was stored after a CA had been asked for the entry. */
function storedSince(entry: RenewalRow, newest: CertificateRow | undefined): CertificateRow | undefined {
  if (tryIdOf(entry) === undefined || newest === undefined || newest.revokedAt !== null) return undefined;
  // the certificate of a test need not be the newest one
  const isSince = !entry.isTest || newest.createdAt >= entry.createdAt;
  return isSince && newest.id !== entry.certificateId ? newest : undefined;
}

/** The provider that an earlier try asked, no matter who issued for the FQDN since, unless it is disabled and so cannot go on. */
function begunProvider(
  earlier: IssuanceRow | undefined,
  providers: ReadonlyMap<string, ProviderRow>,
): ProviderRow | undefined {
  const provider = providers.get(earlier?.providerId ?? '');
  return earlier?.issued != null || provider?.enabled === true ? provider : undefined;
}

/** The CSR that an earlier try began with, while there is one, else the latest. */
async function begunCsr(
  tx: Tx,
  earlier: IssuanceRow | undefined,
  latest: CsrRow | undefined,
): Promise<CsrRow | undefined> {
  if (earlier === undefined || earlier.csrId === latest?.id) return latest;
  // a certificate for another key must not replace the one in use; there is no order that would stay open
  if (!earlier.isOrder && earlier.issued === null) return latest;
  return (await findCsr(tx, earlier.csrId)) ?? latest;
}

function by<Key extends string, Row extends Readonly<Record<Key, string>>>(
  key: Key,
  rows: readonly Row[],
): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row[key], row]));
}
