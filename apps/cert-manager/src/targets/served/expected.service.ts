import { type Certificate, fingerprint, recallCertificate, splitChain } from '@certloop/crypto';
import type { Tx } from '@certloop/db';
import type { Expectation } from '@certloop/tls-probe/rules';
import { listCertificatesBySerial } from '../../certificates/certificate-lists.repository.js';
import type { CertificateRow } from '../../certificates/certificates.repository.js';
import { findNewestCertificate } from '../../certificates/newest-certificates.repository.js';
import { listKeyFingerprints } from '../../csrs/csrs.repository.js';

/** The newest certificate of an FQDN as it should be served. */
export interface Newest {
  readonly row: CertificateRow;
  readonly leaf: Certificate;
  /** SHA-256 over its DER, hex. */
  readonly fingerprint: string;
  readonly issuedWith: readonly Certificate[];
}

/** Facts of the certificates of an FQDN, of which these serial numbers were observed. */
export interface Known extends Omit<Expectation, 'graceSeconds' | 'newest'> {
  readonly newest: Newest | undefined;
}

/** The newest certificate of an FQDN; undefined without one. */
export async function findNewest(tx: Tx, fqdnId: string): Promise<Newest | undefined> {
  const row = await findNewestCertificate(tx, fqdnId);
  return row && readNewest(row);
}

function readNewest(row: CertificateRow): Newest | undefined {
  const [leaf, ...issuedWith] = splitChain(row.pem).map((der) => recallCertificate(der));
  return leaf && { row, leaf, fingerprint: fingerprint(leaf.der), issuedWith };
}

/**
 * Returns what an observation of the server of an FQDN is judged by; only certificates of these serial numbers are
 * read.
 */
export async function readKnown(tx: Tx, fqdnId: string, serials: readonly string[]): Promise<Known> {
  const newest = await findNewest(tx, fqdnId);
  const others = serials.filter((serial) => serial !== newest?.row.serialNumber);
  const earlier = [];
  for (const serial of others) {
    for (const row of await listCertificatesBySerial(tx, fqdnId, serial)) {
      const certificate = readNewest(row)?.leaf;
      if (certificate !== undefined && row.replacedAt !== null)
        earlier.push({ certificate, replacedAt: row.replacedAt });
    }
  }
  return {
    newest,
    issuedWith: newest?.issuedWith ?? [],
    earlier,
    keys: await listKeyFingerprints(tx, fqdnId),
  };
}
