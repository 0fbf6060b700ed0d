import type { Tx } from '@certloop/db';
import type { Clock } from '@certloop/server';
import type { Caller } from '../../access/caller.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { endsView } from '../../certificates/in-use.js';
import type { StoredCertificate } from '../../certificates/store-certificates.service.js';
import type { NewEvent } from '../../events/event.js';
import type { Notices } from '../../events/notices.service.js';
import type { FqdnRow } from '../../fqdns/fqdns.repository.js';
import type { Changes } from '../../fqdns/fqdns.service.js';
import type { RevokedCertificate } from '../../revocations/settle-revocation.service.js';
import { findIssuedElsewhere } from './issued-elsewhere.service.js';

interface NoticeDeps {
  readonly clock: Clock;
  /** Undefined without a destination of notices: nothing is recorded. */
  readonly notices: Notices | undefined;
}

/** Records an event of each certificate that is stored, and for who else holds its names. */
export async function recordStoredNotice(
  tx: Tx,
  { changes }: Changes<StoredCertificate>,
  { clock, notices }: NoticeDeps,
): Promise<void> {
  if (notices === undefined) return;
  const events = changes.map(({ caller, fqdn, certificate }) => storedEvent(caller, fqdn, certificate));
  await notices.recordMany(tx, events);
  for (const event of await findIssuedElsewhere(tx, changes, clock.now())) await notices.record(tx, event);
}

/** Records that a certificate was revoked. */
export async function recordRevokedNotice(
  tx: Tx,
  { fqdn, certificate }: RevokedCertificate,
  { notices }: NoticeDeps,
): Promise<void> {
  const { revokedAt, revocationReason, replacedAt, serialNumber } = certificate;
  const reason = revocationReason ?? 'unspecified';
  const advice = replacedAt === null ? 'replace it' : 'replace it by the newest one';
  const message = `The certificate ${serialNumber} of ${fqdn.fqdn} is revoked (${reason}): ${advice} where it is in use.`;
  const data = {
    message,
    ...factsOf(fqdn, certificate),
    reason,
    ...(revokedAt !== null && { revokedAt: revokedAt.toISOString() }),
  };
  const event = { type: 'certificate.revoked', subject: fqdn.id, spaceId: fqdn.spaceId, data } as const;
  await notices?.recordMany(tx, [event]);
}

function storedEvent(caller: Caller, fqdn: FqdnRow, certificate: CertificateRow): NewEvent {
  const isRenewed = caller.kind === 'scheduler';
  const imported = certificate.importedAt !== null;
  const happened = isRenewed ? 'renewed' : imported ? 'imported' : 'issued';
  const until = certificate.expiresAt.toISOString();
  const message = `A certificate of ${fqdn.fqdn} was ${happened}; it is valid until ${until}. Install it where its private key is.`;
  return {
    type: isRenewed ? 'certificate.renewed' : 'certificate.issued',
    subject: fqdn.id,
    spaceId: fqdn.spaceId,
    data: { message, ...factsOf(fqdn, certificate), ...(!isRenewed && { imported }) },
  };
}

function factsOf(fqdn: FqdnRow, certificate: CertificateRow) {
  const { id: certificateId, serialNumber } = certificate;
  const { id: fqdnId, spaceId } = fqdn;
  return {
    fqdn: fqdn.fqdn,
    fqdnId,
    spaceId,
    certificateId,
    serialNumber,
    ...endsView(certificate),
  };
}
