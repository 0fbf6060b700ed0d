import type { CertificateDetail } from '@certloop/contracts';
import { describeCertificate, fingerprint, parseCertificate, splitChain } from '@certloop/crypto';
import { certificateView, type ShownCertificate } from './certificate-view.js';

/** A certificate with related rows. */
interface ShownFacts {
  readonly certificate: ShownCertificate & {
    readonly spkiSha256: string;
    readonly providerId: string | null;
    readonly csrId: string | null;
    readonly replacedAt: Date | null;
  };
  readonly neighbors: { readonly before?: string; readonly after?: string };
  readonly jobId: string | undefined;
  readonly lastDownload: { readonly timestamp: Date; readonly username: string } | undefined;
}

/** A certificate of an FQDN in the space, in detail. */
export function certificateDetailView(facts: ShownFacts, spaceId: string): CertificateDetail {
  const { certificate, neighbors, jobId, lastDownload } = facts;
  const [leaf = Buffer.alloc(0), ...intermediates] = splitChain(certificate.pem);
  const description = describeCertificate(parseCertificate(leaf));
  const { providerId, csrId, replacedAt, spkiSha256 } = certificate;
  return {
    ...certificateView(certificate, spaceId),
    subject: description.subject,
    serialNumber: description.serialNumber,
    notBefore: description.notBefore.toISOString(),
    publicKey: { algorithm: description.publicKeyAlgorithm, size: description.keySize, spkiSha256 },
    signatureAlgorithm: description.signatureAlgorithm,
    dnsNames: [...description.dnsNames],
    ipAddresses: [...description.ipAddresses],
    extensions: description.extensions.map((extension) => ({
      ...extension,
      purposes: [...extension.purposes],
    })),
    sha256: fingerprint(leaf),
    chain: intermediates.map(linkView),
    ...(providerId !== null && { providerId }),
    ...(csrId !== null && { csrId }),
    ...(replacedAt !== null && { replacedAt: replacedAt.toISOString() }),
    ...(neighbors.before !== undefined && { replaces: neighbors.before }),
    ...(neighbors.after !== undefined && { replacedBy: neighbors.after }),
    ...(jobId !== undefined && { jobId }),
    ...(lastDownload !== undefined && {
      lastDownload: { at: lastDownload.timestamp.toISOString(), by: lastDownload.username },
    }),
  };
}

function linkView(der: Buffer): CertificateDetail['chain'][number] {
  const { subject, issuer, notAfter } = describeCertificate(parseCertificate(der));
  return { subject, issuer, expiresAt: notAfter.toISOString(), sha256: fingerprint(der) };
}
