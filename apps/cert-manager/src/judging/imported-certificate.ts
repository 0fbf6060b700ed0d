import { InvalidInput } from '@certloop/contracts';
import { verifyLeafSignature } from '@certloop/crypto';
import { coversHostname } from './hostname.js';
import { findChainFault, type IssuedChain, readIssued, timeFault } from './issued-certificate.js';

/** A chain that was sent, and whether the signature of its leaf was verified; it cannot be if the issuer was not sent. */
export interface ImportedChain extends IssuedChain {
  readonly isVerified: boolean;
}

/**
 * The chain of a certificate that is to be watched for the host name. Throws InvalidInput that names the fault and
 * what to do: no certificates or several chains, a private key, a CA, another name, expired or not yet valid, a
 * signature that does not hold, a chain that TLS clients refuse.
 */
export function validateImport(pem: string, hostname: string, now: Date): ImportedChain {
  const chain = readIssued(pem);
  const { leaf } = chain;
  if (leaf.isCa) {
    throw refused(
      'not_a_leaf',
      'the first certificate is that of a CA: send the one of the server, and then its CAs',
    );
  }
  const names = leaf.subjectAltNames.dnsNames;
  if (!names.some((name) => coversHostname(name.toLowerCase(), hostname))) {
    const found = names.length === 0 ? 'no DNS names in subjectAltName' : `the DNS names ${shown(names)}`;
    const message = `the certificate has ${found}; this FQDN is ${hostname}: import it for an FQDN that it names`;
    throw refused('name_mismatch', message);
  }
  const fault = timeFault(chain, now);
  if (fault !== undefined) throw refused('not_valid_now', `${fault}: import the certificate that is in use`);
  const chainFault = findChainFault(chain, now);
  if (chainFault !== undefined) {
    throw refused(
      'unsound_chain',
      `TLS clients refuse the chain: ${chainFault}; fetch the chain again from the CA, or send the certificate alone`,
    );
  }
  return { ...chain, isVerified: isVerified(chain) };
}

function isVerified({ leaf, others }: IssuedChain): boolean {
  const signature = verifyLeafSignature(leaf, others);
  if (signature === 'invalid') {
    throw refused(
      'broken_signature',
      'the certificate names itself as issuer, but its signature does not verify with its own key: send it unaltered, or with its CA',
    );
  }
  return signature === 'valid';
}

function shown(names: readonly string[]): string {
  const first = names.slice(0, 5).join(', ');
  return names.length > 5 ? `${first} and ${names.length - 5} more` : first;
}

function refused(code: string, message: string): InvalidInput {
  return new InvalidInput(message, {
    code: 'certificate_not_accepted',
    title: 'Certificate not accepted',
    fields: [{ path: 'pem', code, message }],
  });
}
