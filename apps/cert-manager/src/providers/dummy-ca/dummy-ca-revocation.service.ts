import type { RevocationOrder, RevokeOutcome } from '../provider.js';
import type { DummyCa, RevocationStatus } from './dummy-ca.client.js';

/** Revokes a certificate by the administrative API of a dummy CA, and reads what the CA knows of it. */
export async function revokeByDummyCa(
  ca: DummyCa,
  { serialNumber, reason }: RevocationOrder,
): Promise<RevokeOutcome> {
  const before = await ca.findStatus(serialNumber);
  if (before === undefined) return { status: 'refused', message: unknownTo(serialNumber) };
  if (before.status === 'revoked') return alreadyRevoked(before);
  const answer = await ca.revoke(serialNumber, reason);
  if (answer === 'revoked') return { status: 'revoked' };
  if (answer === 'not_offered') return { status: 'refused', message: notOffered };
  return alreadyRevoked(await ca.findStatus(serialNumber));
}

const notOffered =
  'the CA does not offer revocation: start it with DUMMY_CA_ADMIN=true, which serves its administrative API';

function unknownTo(serialNumber: string): string {
  return `the CA does not know the serial number ${serialNumber}: it loses its certificates when it restarts, and its new root makes them invalid`;
}

function alreadyRevoked(known: RevocationStatus | undefined): RevokeOutcome {
  return { status: 'already_revoked', revokedAt: known?.revokedAt, reason: known?.reason };
}
