import { sign } from 'node:crypto';
import { createRoot, exportPrivateKeyPem, type RootKeyKind } from '@certloop/crypto';
import { algorithms, commonName, extension, nameOf, p256, pemOf } from './csrs.js';
import { bitString, integer, octetString, sequence, tlv, yes } from './der.js';

export interface PemPair {
  readonly keyPem: string;
  readonly certificatePem: string;
}

const dayMs = 86_400_000;

export interface RootTraits {
  readonly keyType?: RootKeyKind;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

/** Key and certificate of a valid root, as an operator has them in files. */
export async function rootPair(traits: RootTraits = {}): Promise<PemPair> {
  const { certificateDer, privateKey } = await createRoot({
    keyKind: traits.keyType ?? 'P-256',
    subject: { commonName: 'Root of files' },
    notBefore: traits.notBefore ?? new Date(Date.now() - dayMs),
    notAfter: traits.notAfter ?? new Date(Date.now() + 365 * dayMs),
    serialNumber: 7n,
  });
  return { keyPem: exportPrivateKeyPem(privateKey), certificatePem: pemOf(certificateDer, 'CERTIFICATE') };
}

/** Self-signed, or signed by no one's key, and of an authority or not: certificates that are not roots. */
export function oddPair(traits: { readonly isCa: boolean; readonly issuer: string }): PemPair {
  const { privateKey, publicKey } = p256();
  const constraints = extension('2.5.29.19', sequence(...(traits.isCa ? [yes] : [])), 'critical');
  const toBeSigned = sequence(
    tlv(0xa0, integer(2)),
    integer(5),
    algorithms.ecdsaSha256,
    nameOf([commonName, traits.issuer]),
    sequence(tlv(0x17, Buffer.from('260101000000Z')), tlv(0x17, Buffer.from('480101000000Z'))),
    nameOf([commonName, 'odd']),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(constraints, extension('2.5.29.14', octetString(Buffer.alloc(20, 1))))),
  );
  const der = sequence(toBeSigned, algorithms.ecdsaSha256, bitString(sign('sha256', toBeSigned, privateKey)));
  return { keyPem: exportPrivateKeyPem(privateKey), certificatePem: pemOf(der, 'CERTIFICATE') };
}
