import { InvalidInput } from '@certloop/contracts';
import { fingerprint, formatName, parseCertificate, splitChain } from '@certloop/crypto';
import { slicesOf, type Tx } from '@certloop/db';
import { listCertificateTexts } from '../fqdn-status.repository.js';

/** Certificate of an issuer. */
export interface Authority {
  readonly subject: string;
  readonly expiresAt: Date;
}

const textsAtOnce = 20;

/** Certificates of issuers by their fingerprints, each from the chain of the certificate that is named for it. */
export async function readAuthorities(
  tx: Tx,
  certificateIds: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Authority>> {
  const found = new Map<string, Authority>();
  for (const slice of slicesOf([...new Set(certificateIds.values())], textsAtOnce)) {
    const texts = new Map((await listCertificateTexts(tx, slice)).map(({ id, pem }) => [id, pem]));
    for (const [sha256, id] of certificateIds) {
      const authority = authorityIn(texts.get(id) ?? '', sha256);
      if (authority !== undefined) found.set(sha256, authority);
    }
  }
  return found;
}

function authorityIn(pem: string, sha256: string): Authority | undefined {
  if (pem === '') return undefined;
  try {
    const der = splitChain(pem).find((one) => fingerprint(one) === sha256);
    if (der === undefined) return undefined;
    const { subject, notAfter } = parseCertificate(der);
    return { subject: formatName(subject), expiresAt: notAfter };
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}
