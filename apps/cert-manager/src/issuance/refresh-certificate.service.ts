import { UpstreamFailed } from '@certloop/contracts';
import type { Tx } from '@certloop/db';
import type { Caller } from '../access/caller.js';
import { requireLevel } from '../access/permissions.js';
import { recordAudit } from '../audit/audit.service.js';
import {
  type CertificateRow,
  certificateNotFound,
  getCertificate,
  updateCertificate,
} from '../certificates/certificates.repository.js';
import { hasOther } from '../certificates/insert-certificates.repository.js';
import type { CertificateEvents } from '../certificates/store-certificates.service.js';
import type { DbDeps } from '../db-deps.js';
import { type FqdnRow, getFqdn, lockFqdn } from '../fqdns/fqdns.repository.js';
import { describeLeaf } from '../judging/issued-certificate.js';
import type { ProviderOpener } from '../providers/open-provider.service.js';
import type { RefreshOutcome } from '../providers/provider.js';
import { findProvider, type ProviderRow } from '../providers/providers.repository.js';

export interface RefreshDeps extends DbDeps {
  readonly opener: ProviderOpener;
  readonly emit: CertificateEvents;
}

/** A certificate after its provider was asked; `isMissing` when that no longer knows it. */
export interface RefreshedCertificate {
  readonly certificate: CertificateRow;
  readonly isMissing: boolean;
}

interface Subject {
  readonly fqdn: FqdnRow;
  readonly certificate: CertificateRow;
  readonly provider: ProviderRow | undefined;
}

/**
 * Reads a certificate again from its provider and stores what that says; one without a provider to ask stays as
 * it is. Throws NotFound when space, FQDN or certificate is not there, UpstreamFailed when the provider does not
 * answer, or answers with a certificate that is not of the same key or not to be trusted.
 */
export async function refreshCertificate(
  deps: RefreshDeps,
  caller: Caller,
  input: { readonly spaceId: string; readonly fqdnId: string; readonly certId: string },
): Promise<RefreshedCertificate> {
  requireLevel(caller, input.spaceId, 'READ_WRITE');
  const subject = await deps.db.read((tx) => findSubject(tx, input));
  const outcome = await askProvider(deps.opener, subject).catch(async (error: unknown) => {
    if (error instanceof UpstreamFailed) await recordFailure(deps, caller, subject, error.message);
    throw error;
  });
  return settle(deps, caller, subject, outcome);
}

async function findSubject(
  tx: Tx,
  { spaceId, fqdnId, certId }: { spaceId: string; fqdnId: string; certId: string },
): Promise<Subject> {
  const fqdn = await getFqdn(tx, spaceId, fqdnId);
  const certificate = await getCertificate(tx, fqdn.id, certId);
  const { providerId } = certificate;
  const provider = providerId === null ? undefined : await findProvider(tx, providerId);
  return { fqdn, certificate, provider };
}

function askProvider(opener: ProviderOpener, { certificate, provider }: Subject): Promise<RefreshOutcome> {
  const { upstreamId, spkiSha256 } = certificate;
  if (provider === undefined || upstreamId === null) return Promise.resolve({ status: 'unchanged' });
  return Promise.resolve().then(() => opener.open(provider).refresh({ upstreamId, spkiSha256 }));
}

async function settle(
  { db, clock, emit }: RefreshDeps,
  caller: Caller,
  subject: Subject,
  outcome: RefreshOutcome,
): Promise<RefreshedCertificate> {
  const now = clock.now();
  return db.transaction(async (tx) => {
    const fqdn = await lockFqdn(tx, subject.fqdn.spaceId, subject.fqdn.id);
    const reported = await changeOf(tx, subject.certificate, outcome);
    const isMissing = reported === undefined;
    const change = { ...reported, refreshedAt: now };
    const rows = await updateCertificate(tx, subject.certificate.id, change);
    if (rows === 0) throw certificateNotFound();
    const status = isMissing ? 'missing' : outcome.status;
    await recordAudit(tx, caller, auditOf(subject, { status }), now);
    if (!isMissing) await emit.certificateRefreshed(tx, { fqdn });
    return { certificate: { ...subject.certificate, ...change }, isMissing };
  });
}

/**
 * Returns the change that the provider reports; undefined if it has no such certificate, or if the FQDN has the new one
 * already.
 */
async function changeOf(
  tx: Tx,
  { id, fqdnId, pem: before }: CertificateRow,
  outcome: RefreshOutcome,
): Promise<Partial<CertificateRow> | undefined> {
  if (outcome.status === 'missing') return undefined;
  if (outcome.status === 'unchanged') return {};
  const { certificatePem: pem } = outcome;
  const facts = describeLeaf(pem);
  // of what an earlier version stored twice, neither has a fingerprint, and neither needs one
  if (facts.leafSha256 === describeLeaf(before).leafSha256) {
    const { expiresAt, leafExpiresAt, authoritySha256 } = facts;
    return { pem, expiresAt, leafExpiresAt, authoritySha256 };
  }
  return (await hasOther(tx, id, { fqdnId, ...facts })) ? undefined : { pem, ...facts };
}

function recordFailure(
  { db, clock }: RefreshDeps,
  caller: Caller,
  subject: Subject,
  reason: string,
): Promise<void> {
  const entry = { ...auditOf(subject, { reason }), outcome: 'failure' as const };
  return db.transaction((tx) => recordAudit(tx, caller, entry, clock.now()));
}

function auditOf({ fqdn, certificate, provider }: Subject, details: Readonly<Record<string, unknown>>) {
  return {
    action: 'certificate.refresh' as const,
    resourceType: 'certificate',
    resourceId: certificate.id,
    spaceId: fqdn.spaceId,
    details: {
      fqdn: fqdn.fqdn,
      serial: certificate.serialNumber,
      spkiSha256: certificate.spkiSha256,
      ...(provider !== undefined && { provider: provider.name, providerId: provider.id }),
      ...details,
    },
  };
}
