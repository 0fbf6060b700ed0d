import type { CertificateSource, ChainState, RenewalOwner, Target } from '@certloop/contracts';
import type { ClientPart } from './computed-status.js';

/** How a server comes to TLS. */
export type TargetProtocol = Target['protocol'];

/** Sources whose tools renew by ACME. */
export const acmeClients: readonly CertificateSource[] = [
  'certbot',
  'lego',
  'acme.sh',
  'caddy',
  'traefik',
  'dehydrated',
];

/** Who renews the certificate of an FQDN; `renewal-owner.repository.ts` has the same rule in SQL. */
export function renewalOwnerOf({
  renewalEnabled,
  isAdopting,
  source,
  client = null,
}: {
  readonly renewalEnabled: boolean;
  /** Whether an ACME client of a space renews the newest certificate, or the one that did is gone. */
  readonly client?: ClientPart | null;
  /** Whether what one of its targets serves becomes its newest certificate. */
  readonly isAdopting: boolean;
  /** Of the newest certificate. */
  readonly source: CertificateSource | null;
}): RenewalOwner {
  if (client !== null) return client === 'renews' ? 'acme_client' : 'none';
  if (renewalEnabled) return 'certloop';
  if (source !== null && acmeClients.includes(source)) return 'acme_client';
  return source === 'served' && isAdopting ? 'elsewhere' : 'none';
}

/** Facts of a stored certificate that say whether its issuer was sent. */
interface Heritage {
  readonly providerId: string | null;
  readonly importedAt: Date | null;
  readonly source: CertificateSource | null;
  readonly leafSha256: string | null;
  readonly authoritySha256: string | null;
  readonly keyKind: string | null;
}

/** Whether the chain of a certificate is complete; undefined while it has not been read. */
export function chainStateOf(certificate: Heritage): ChainState | undefined {
  const { authoritySha256, leafSha256, keyKind } = certificate;
  // what a provider issued leads to its root, or was refused
  if (isIssuedHere(certificate)) return 'complete';
  if (keyKind === null) return undefined;
  if (authoritySha256 === null) return 'incomplete';
  return authoritySha256 === leafSha256 ? 'self_signed' : 'complete';
}

/** Also if its provider was deleted. */
function isIssuedHere({ providerId, importedAt, source }: Heritage): boolean {
  return providerId !== null || (importedAt === null && source === null);
}
