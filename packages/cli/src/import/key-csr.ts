import { InvalidInput } from '@certloop/contracts';
import {
  buildCsr,
  type Certificate,
  describeCertificate,
  exportSpki,
  importPrivateKey,
  listCommonNames,
  publicKeysEqual,
} from '@certloop/crypto';
import { Unusable } from './found-certificate.js';
import { isKeyLabel, pemSections } from './pem-sections.js';

/** Longest common name (RFC 5280, appendix A). */
const maxCommonName = 64;

/**
 * PEM of a CSR with the names of the certificate, signed by its key in one of the texts. Throws Unusable if there is no
 * key, if it is encrypted, or if it is another one. Errors contain nothing of the key.
 */
export async function csrForCertificate(leaf: Certificate, files: readonly Buffer[]): Promise<string> {
  const privateKey = findKey(leaf, files);
  const { dnsNames, ipAddresses } = describeCertificate(leaf);
  const commonName = listCommonNames(leaf.subject).find(
    (name) => name.length <= maxCommonName && dnsNames.includes(name),
  );
  const { pem } = await buildCsr({
    privateKey,
    dnsNames,
    ipAddresses,
    ...(commonName !== undefined && { subject: { commonName } }),
  });
  return pem;
}

function findKey(leaf: Certificate, files: readonly Buffer[]) {
  const sections = files.flatMap((bytes) => pemSections(bytes, isKeyLabel));
  if (sections.length === 0) throw new Unusable('no private key was found beside the certificate');
  let fault: string | undefined;
  for (const { text } of sections) {
    try {
      const key = importPrivateKey(text);
      if (publicKeysEqual(exportSpki(key), leaf.spkiDer)) return key;
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      fault ??= text.includes('ENCRYPTED')
        ? 'the private key is encrypted: make the CSR with openssl req, and store it with certloop csrs create'
        : 'the private key is damaged or of an unknown kind';
    }
  }
  throw new Unusable(fault ?? 'the private key is not that of the certificate');
}
