import type { Tx } from '@certloop/db';
import { listNewestCertificates } from '../../certificates/newest-certificates.repository.js';
import { type CsrRow, findCsr, listLatestCsrs } from '../../csrs/csrs.repository.js';
import { lockFqdns } from '../../fqdns/fqdns.repository.js';
import { listFqdnsBeingRequested } from '../../issuance/jobs/issuance-jobs.repository.js';
import { checkSubjects, type SubjectCheck } from '../../issuance/signing/find-obstacles.service.js';
import { listIssuancesWithOrder } from '../../issuance/signing/issuances.repository.js';
import { listProvidersById, type ProviderRow } from '../../providers/providers.repository.js';
import { pendingKeyOf } from '../renewal-journal.js';
import type { RenewalRow } from '../renewals.repository.js';
import type { RenewalSubject } from './settle-renewal.service.js';

/** Subject of a renewal: its FQDN, its provider, and the newest certificate. */
export interface FoundSubject extends RenewalSubject, SubjectCheck {
  /** PEM of the certificate whose place the new one takes. */
  readonly replaces: string | undefined;
  readonly newestId: string | undefined;
  /** Whether someone has a request for the FQDN under way. */
  readonly isRequested: boolean;
  /** Whether another request continues the order of the journal. */
  readonly isOrderTaken: boolean;
}

/** Subject of a renewal with the CSR to sign. */
export type SubjectWithCsr = FoundSubject & { readonly csr: CsrRow };

/**
 * The subjects of entries that are due, in their order; undefined where the FQDN is gone. Costs nine statements
 * however many there are.
 */
export async function findSubjects(
  tx: Tx,
  claimed: readonly RenewalRow[],
): Promise<(FoundSubject | undefined)[]> {
  const taken = await listTakenOrders(tx, claimed);
  const entries = claimed.map((entry) => (taken.has(entry) ? { ...entry, journal: null } : entry));
  const ids = entries.map(({ fqdnId }) => fqdnId);
  // locked, so that a request either sees this renewal under way or is seen by it
  const fqdns = by('id', await lockFqdns(tx, ids));
  const requested = new Set(await listFqdnsBeingRequested(tx, ids));
  const csrs = by('fqdnId', await listLatestCsrs(tx, ids));
  const newest = by('fqdnId', await listNewestCertificates(tx, ids));
  const usualIdOf = (entry: RenewalRow) => newest.get(entry.fqdnId)?.providerId ?? entry.providerId;
  const asked = entries.flatMap((entry) => [usualIdOf(entry), entry.journal?.providerId ?? []].flat());
  const providers = by('id', await listProvidersById(tx, [...new Set(asked)]));
  const subjects: (Omit<FoundSubject, keyof SubjectCheck> | undefined)[] = [];
  for (const [index, entry] of entries.entries()) {
    const fqdn = fqdns.get(entry.fqdnId);
    const provider = begunProvider(entry, providers) ?? providers.get(usualIdOf(entry));
    const certificate = newest.get(entry.fqdnId);
    const isFound = fqdn?.spaceId === entry.spaceId && provider !== undefined;
    const subject = isFound && {
      fqdn,
      provider,
      csr: await begunCsr(tx, entry, csrs.get(entry.fqdnId)),
      replaces: certificate?.providerId === provider.id ? certificate.pem : undefined,
      newestId: certificate?.id,
      isRequested: requested.has(entry.fqdnId),
      isOrderTaken: entry !== claimed[index],
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

/** The entries whose order was continued by another request. */
async function listTakenOrders(tx: Tx, entries: readonly RenewalRow[]): Promise<ReadonlySet<RenewalRow>> {
  // processes of the version before record an order in the journal only
  const idOf = ({ journal }: RenewalRow) =>
    journal?.order === undefined || pendingKeyOf(journal) !== undefined ? undefined : journal.requestId;
  const ids = entries.flatMap((entry) => idOf(entry) ?? []);
  const left = new Set(ids.length === 0 ? [] : await listIssuancesWithOrder(tx, ids));
  return new Set(entries.filter((entry) => !left.has(idOf(entry) ?? '') && idOf(entry) !== undefined));
}

/**
 * The provider whose answer an earlier try has, with whom it has an order, or whom it was asking, no matter who issued for the
 * FQDN since; undefined if there is none, or where it is disabled and so cannot go on.
 */
function begunProvider(
  { journal }: RenewalRow,
  providers: ReadonlyMap<string, ProviderRow>,
): ProviderRow | undefined {
  const provider = providers.get(journal?.providerId ?? '');
  if (journal?.issued !== undefined) return provider;
  const isBegun = journal?.order !== undefined || pendingKeyOf(journal) !== undefined;
  return isBegun && provider?.enabled === true ? provider : undefined;
}

/** The CSR that an earlier try began with, while there is one, else the latest. */
async function begunCsr(
  tx: Tx,
  { journal }: RenewalRow,
  latest: CsrRow | undefined,
): Promise<CsrRow | undefined> {
  if (journal === null || journal.csrId === latest?.id) return latest;
  // a certificate for another key must not replace the one in use; there is no order that would stay open
  if (pendingKeyOf(journal) !== undefined && journal.issued === undefined) return latest;
  return (await findCsr(tx, journal.csrId)) ?? latest;
}

function by<Key extends string, Row extends Readonly<Record<Key, string>>>(
  key: Key,
  rows: readonly Row[],
): ReadonlyMap<string, Row> {
  return new Map(rows.map((row) => [row[key], row]));
}
