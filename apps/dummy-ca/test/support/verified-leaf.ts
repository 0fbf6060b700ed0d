import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { certificateStatusSchema } from '@certloop/contracts';
import { splitChain } from '@certloop/crypto';
import { lintCertificate } from '@certloop/crypto/lint';
import { hasProgram, say } from '@certloop/server/testing';
import { expect } from 'vitest';
import type { ClientPlace } from './client-place.js';

const hasOpenssl = hasProgram('openssl', 'it judges no chain', ['version']);
const hasCerttool = hasProgram('certtool', 'it judges no chain');

/** What our lint says of a leaf of the profiles `tlsserver` and `shortlived`, as those of Let's Encrypt are. */
export const lintOfTlsServer = ['the subject key identifier is missing'];

/**
 * The leaf of the chain in the files, after our own lint, OpenSSL and GnuTLS found it valid for the name or address up
 * to the root of the file.
 */
export async function verifiedLeaf(
  { at }: ClientPlace,
  name: string,
  paths: string | readonly string[],
  root = 'root.pem',
  lint: readonly string[] = [],
): Promise<X509Certificate> {
  const chain = [paths].flat().flatMap((path) => splitChain(readFileSync(path, 'utf8')));
  const [leaf = Buffer.alloc(0), intermediate = Buffer.alloc(0)] = chain;
  expect(lintCertificate(leaf, intermediate)).toEqual(lint);
  const pems = [leaf, intermediate].map((der) => new X509Certificate(der).toString());
  const files = { leaf: at('leaf.pem'), above: at('above.pem'), chain: at('chain.pem') };
  writeFileSync(files.leaf, pems[0] ?? '');
  writeFileSync(files.above, pems[1] ?? '');
  writeFileSync(files.chain, pems.join(''));
  if (hasOpenssl) {
    const args = ['verify', '-x509_strict', '-CAfile', at(root), '-untrusted', files.above];
    const asked = isIP(name) === 0 ? '-verify_hostname' : '-verify_ip';
    expect(await say('openssl', [...args, asked, name, files.leaf])).toContain(': OK');
  }
  if (hasCerttool) {
    const args = ['--verify', '--load-ca-certificate', at(root), '--infile', files.chain];
    expect(await say('certtool', [...args, '--verify-hostname', name])).toContain(
      'Chain verification output: Verified',
    );
  }
  return new X509Certificate(leaf);
}

/** `good`, or the reason for which the server has the certificate as revoked. */
export async function statusOf({ acme }: ClientPlace, { serialNumber }: X509Certificate): Promise<string> {
  const answer = await fetch(`${acme.url}/certificate-status/${serialNumber}`);
  const { status, reason } = certificateStatusSchema.parse(await answer.json());
  return reason ?? status;
}

/** What is remarkable of a certificate: its key, and whether it must be stapled (RFC 7633). */
export function traitsOf({ publicKey, raw }: X509Certificate): readonly unknown[] {
  const { modulusLength, namedCurve } = publicKey.asymmetricKeyDetails ?? {};
  // the extension as a whole: its identifier, and the list of status_request alone
  const mustStaple = raw.includes(Buffer.from('06082b0601050507011804053003020105', 'hex'));
  return [namedCurve ?? modulusLength, mustStaple];
}

/** Seconds from the beginning of the validity to its end. */
export function validSeconds({ validFrom, validTo }: X509Certificate): number {
  return (Date.parse(validTo) - Date.parse(validFrom)) / 1000;
}
