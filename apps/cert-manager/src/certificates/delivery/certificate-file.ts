import { createHash } from 'node:crypto';
import type { CertificateFormat, DeliveredCertificate } from '@certloop/contracts';
import {
  certificateLabel,
  encodeCertsOnly,
  fingerprint,
  formatPem,
  parseCertificate,
  splitChain,
} from '@certloop/crypto';

/** A certificate as a file. */
export interface CertificateFile {
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly name: string;
  /** Strong validator of the file, in quotes (RFC 9110 §8.8.3). */
  readonly etag: string;
}

/** Parts of the file. */
interface StoredFile {
  readonly id: string;
  readonly pem: string;
  readonly fqdn: string;
  /** When an intermediate ends before the leaf. */
  readonly chainEnd?: Date | undefined;
}

const forms: Readonly<Record<CertificateFormat, { readonly contentType: string; readonly suffix: string }>> =
  {
    leaf: { contentType: 'application/pem-certificate-chain', suffix: '.pem' },
    chain: { contentType: 'application/pem-certificate-chain', suffix: '-chain.pem' },
    fullchain: { contentType: 'application/pem-certificate-chain', suffix: '-fullchain.pem' },
    der: { contentType: 'application/pkix-cert', suffix: '.cer' },
    p7b: { contentType: 'application/x-pkcs7-certificates', suffix: '.p7b' },
    json: { contentType: 'application/json', suffix: '.json' },
  };

/**
 * The file of a certificate, whose `pem` is the leaf followed by its intermediates; undefined for the chain of one that
 * has no intermediates. A wildcard's name begins with an underscore. The validator changes when another chain, which lasts
 * longer, has been fetched for the same leaf.
 */
export function certificateFile(
  { id, pem, fqdn, chainEnd }: StoredFile,
  format: CertificateFormat,
): CertificateFile | undefined {
  const [leaf = Buffer.alloc(0), ...intermediates] = splitChain(pem);
  if (format === 'chain' && intermediates.length === 0) return undefined;
  const { contentType, suffix } = forms[format];
  const digest = createHash('sha256').update(leaf).digest('hex');
  const etag = `"${digest}.${format}${chainEnd === undefined ? '' : `.${chainEnd.getTime()}`}"`;
  const bytes =
    format === 'json'
      ? Buffer.from(JSON.stringify(describeFile(id, etag, leaf, intermediates)))
      : bytesOf(format, leaf, intermediates);
  return { bytes, contentType, name: `${fqdn.replace('*', '_')}${suffix}`, etag };
}

function describeFile(
  id: string,
  etag: string,
  leaf: Buffer,
  intermediates: readonly Buffer[],
): DeliveredCertificate {
  const { serialNumber, notBefore, notAfter } = parseCertificate(leaf);
  return {
    id,
    serialNumber,
    sha256: fingerprint(leaf),
    notBefore: notBefore.toISOString(),
    notAfter: notAfter.toISOString(),
    etag,
    leaf: pemOf([leaf]).toString(),
    chain: pemOf(intermediates).toString(),
    fullchain: pemOf([leaf, ...intermediates]).toString(),
  };
}

function bytesOf(
  format: Exclude<CertificateFormat, 'json'>,
  leaf: Buffer,
  intermediates: readonly Buffer[],
): Buffer {
  switch (format) {
    case 'leaf':
      return pemOf([leaf]);
    case 'chain':
      return pemOf(intermediates);
    case 'fullchain':
      return pemOf([leaf, ...intermediates]);
    case 'der':
      return leaf;
    case 'p7b':
      return encodeCertsOnly([leaf, ...intermediates]);
  }
}

function pemOf(ders: readonly Buffer[]): Buffer {
  return Buffer.from(ders.map((der) => formatPem(certificateLabel, der)).join(''));
}

/** Whether the header If-None-Match names the file, by weak comparison (RFC 9110 §13.1.2). */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const known = ifNoneMatch.split(',').map((text) => text.trim().replace(/^W\//, ''));
  return known.includes('*') || known.includes(etag);
}
