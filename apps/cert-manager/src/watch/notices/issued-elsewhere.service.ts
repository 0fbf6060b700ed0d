import type { Tx } from '@certloop/db';
import type { StoredCertificate } from '../../certificates/store-certificates.service.js';
import type { NewEvent } from '../../events/event.js';
import { type NameHolder, otherHolders, parentOf } from '../../fqdns/holders/held-name.js';
import { findHolderBelow, findHolders } from '../../fqdns/holders/name-holders.repository.js';
import { leafHostnames } from '../../judging/issued-certificate.js';

/**
 * Events for the spaces that hold names of certificates that callers just had issued in other spaces: one for each FQDN of
 * a holder, and at most one a day (UTC) for both FQDNs. Renewals and imports cause none.
 */
export async function findIssuedElsewhere(
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
