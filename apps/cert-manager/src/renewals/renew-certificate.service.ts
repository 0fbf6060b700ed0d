import { AppError } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import { type CsrRow, findCsr, findLatestCsr } from '../csrs/csrs.repository.js';
import { getFqdn } from '../fqdns/fqdns.repository.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import type { OrderProgress, SignOutcome } from '../providers/provider.js';
import { getProvider, type ProviderRow } from '../providers/providers.repository.js';
import { holdLease, type LeaseDeps, LeaseLost, type RenewalLease } from './renewal-lease.service.js';
import type { RenewalJournal, RenewalRow } from './renewals.repository.js';
import {
  type RenewalEnd,
  type RenewalSubject,
  type SettleDeps,
  settleFailed,
  settleRenewed,
} from './settle-renewal.service.js';

/**
 * What a renewal goes through, in this order. After each of them the process may end: an entry is claimed again
 * when its lease has lapsed, and goes on after the last step that is on disk.
 */
export const renewalSteps = [
  /** The entry is taken; nobody has been asked. On disk. */
  'claimed',
  /** The provider has answered, with a certificate or a refusal; not on disk. */
  'answered',
  /** The certificate is in the journal. On disk. */
  'recorded',
  /** Certificate, end of the entry, next entry and audit are on disk, all or none. */
  'settled',
] as const;
export type RenewalStep = (typeof renewalSteps)[number];

export interface RenewDeps extends LeaseDeps, SettleDeps {
  readonly opener: ProviderOpener;
  /** Told of each step; an error that it throws ends the work as the end of the process would. */
  readonly atStep: (step: RenewalStep, entry: RenewalRow) => Promise<void>;
}

/**
 * Renews the certificate of an entry that this worker has claimed, and settles it. A refusal of the provider is
 * an end like any other; throws only what nobody foresaw, and then the entry is left to lapse.
 */
export async function renewCertificate(deps: RenewDeps, entry: RenewalRow): Promise<RenewalEnd> {
  const lease = holdLease(deps, entry);
  try {
    await deps.atStep('claimed', entry);
    const subject = await deps.db.read((tx) => findSubject(tx, entry));
    const outcome = await ask(deps, lease, subject);
    const end = outcome.isSigned
      ? await settleRenewed(deps, lease, subject, outcome)
      : await settleFailed(deps, lease, subject, outcome);
    await deps.atStep('settled', entry);
    return end;
  } catch (error) {
    if (isGone(error)) return { kind: 'lost', entryId: entry.id };
    throw error;
  } finally {
    lease.release();
  }
}

/** The FQDN or the entry went while it was being renewed. */
function isGone(error: unknown): boolean {
  return error instanceof LeaseLost || (error instanceof AppError && error.kind === 'not_found');
}

async function findSubject(
  tx: Tx,
  { spaceId, fqdnId, providerId, journal }: RenewalRow,
): Promise<RenewalSubject> {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  const begun = journal === null ? undefined : await findCsr(tx, journal.csrId);
  const csr = begun ?? (await findLatestCsr(tx, fqdnId));
  return { fqdn, csr, provider: await getProvider(tx, providerId) };
}

/** The provider's answer, or the one that it gave before this process took the renewal up. */
async function ask(
  deps: RenewDeps,
  lease: RenewalLease,
  { csr, provider }: RenewalSubject,
): Promise<SignOutcome> {
  const recorded = lease.journal()?.issued;
  if (recorded !== undefined) return { isSigned: true, ...recorded };
  if (csr === undefined) return { isSigned: false, reason: 'no CSR is stored for this FQDN' };
  const outcome = await sign(deps.opener, provider, csr, progressOf(lease, csr));
  await deps.atStep('answered', lease.entry);
  if (!outcome.isSigned) return outcome;
  const { certificatePem, upstreamId } = outcome;
  await lease.keep({ csrId: csr.id, issued: { certificatePem, upstreamId } });
  await deps.atStep('recorded', lease.entry);
  return outcome;
}

/** A provider that was disabled or spoilt since the claim refuses like any other. */
async function sign(
  opener: ProviderOpener,
  provider: ProviderRow,
  csr: CsrRow,
  progress: OrderProgress,
): Promise<SignOutcome> {
  try {
    return await opener.openForSigning(provider).sign(csr.csrPem, progress);
  } catch (error) {
    if (error instanceof AppError) return { isSigned: false, reason: error.message };
    throw error;
  }
}

function progressOf(lease: RenewalLease, { id: csrId }: CsrRow): OrderProgress {
  const journal = lease.journal();
  return {
    // an order for another CSR is of no use
    kept: journal?.csrId === csrId ? journal.order : undefined,
    keep: (order) => {
      const next: RenewalJournal = { csrId, ...(order !== undefined && { order }) };
      return lease.keep(next);
    },
  };
}
