import type { Tx } from '@certloop/db';
import type { Caller } from '../../access/caller.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { endsView } from '../../certificates/in-use.js';
import type { StoredCertificate } from '../../certificates/store-certificates.service.js';
import type { NewEvent } from '../../events/event.js';
import type { NoticeDeps } from '../../events/notices.service.js';
import type { FqdnRow } from '../../fqdns/fqdns.repository.js';
import type { Changes } from '../../fqdns/fqdns.service.js';
import { type NameHolder, otherHolders, parentOf } from '../../fqdns/holders/held-name.js';
import { findHolderBelow, findHolders } from '../../fqdns/holders/name-holders.repository.js';
import { leafHostnames } from '../../judging/issued-certificate.js';
import type { RevokedCertificate } from '../../revocations/settle-revocation.service.js';

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
  if (certificate.source === 'served') return adoptedEvent(fqdn, certificate);
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

function adoptedEvent(fqdn: FqdnRow, certificate: CertificateRow): NewEvent {
  const { issuer, expiresAt } = certificate;
  const message = `A server of ${fqdn.fqdn} presents a certificate that was obtained elsewhere; it is valid until ${expiresAt.toISOString()} and adopted as the newest one.`;
  return {
    type: 'certificate.adopted',
    subject: fqdn.id,
    spaceId: fqdn.spaceId,
    data: { message, ...factsOf(fqdn, certificate), issuer },
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

/**
 * Events for the spaces that hold names of certificates that callers just had issued in other spaces: one for each FQDN of
 * a holder, and at most one a day (UTC) for both FQDNs. Renewals and imports cause none.
 */
async function findIssuedElsewhere(
  tx: Tx,
  stored: readonly StoredCertificate[],
  now: Date,
): Promise<NewEvent[]> {
  const issued = stored.flatMap((one) =>
    one.caller.kind === 'scheduler' || one.certificate.importedAt !== null
      ? []
      : [{ ...one, names: leafHostnames(one.certificate.pem) }],
  );
  if (issued.length === 0) return [];
  const found = await findHolders(
    tx,
    issued.flatMap(({ names }) => names),
  );
  const events: NewEvent[] = [];
  for (const one of issued) {
    const seen = new Set<string>();
    for (const name of one.names) {
      for (const { spaceId, holder } of otherHolders(name, one.fqdn.spaceId, found)) {
        const held = holder ?? (await findHolderBelow(tx, parentOf(name.toLowerCase()), spaceId));
        if (held === undefined || seen.has(held.fqdnId)) continue;
        seen.add(held.fqdnId);
        events.push(elsewhereEvent(one, name, held, now));
      }
    }
  }
  return events;
}

/** It names neither the other space nor its FQDN. */
function elsewhereEvent(
  { fqdn: other, certificate }: StoredCertificate,
  name: string,
  { name: fqdn, fqdnId, spaceId }: NameHolder,
  now: Date,
): NewEvent {
  const { serialNumber, issuer } = certificate;
  const expiresAt = certificate.expiresAt.toISOString();
  const message = `Another space was issued a certificate for ${name}; your space holds ${fqdn}. Its serial number is ${serialNumber}, its issuer ${issuer}. If you did not expect it, ask an administrator to find it by its serial number and to revoke it.`;
  return {
    type: 'name.issued_elsewhere',
    subject: fqdnId,
    spaceId,
    onceKey: `name.issued_elsewhere:${fqdnId}:${other.id}:${now.toISOString().slice(0, 10)}`,
    data: { message, fqdn, fqdnId, spaceId, name, serialNumber, issuer, expiresAt },
  };
}
