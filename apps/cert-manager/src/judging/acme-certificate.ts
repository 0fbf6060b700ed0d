import { type AcmeIdentifier, InvalidInput } from '@certloop/contracts';
import { type Certificate, certificateLabel, formatPem, listCommonNames } from '@certloop/crypto';
import { areSameIdentifiers } from './csr-rules.js';
import {
  differenceFromCsr,
  findChainFault,
  type IssuedChain,
  intermediatesOf,
  keyOfCsr,
  leafFault,
  readAnswered,
  readCsr,
  timeFault,
} from './issued-certificate.js';

/** Facts with which the certificate of an order must agree. */
export interface OrderedCertificate {
  readonly csrPem: string;
  readonly identifiers: readonly AcmeIdentifier[];
  readonly now: Date;
}

/** A chain, or its fault in one sentence. */
export type ChainVerdict =
  | { readonly issued: IssuedChain; readonly fault?: never }
  /** `isChainFault` where TLS clients refuse the chain, though the certificate is for the CSR. */
  | { readonly fault: string; readonly isChainFault?: boolean };

/**
 * Leaf and intermediates when the leaf is for the CSR's key and exactly the ordered names, valid now,
 * each certificate is signed by the next, and TLS clients find no fault with the chain; a root at the end is omitted.
 */
export function validateChain(text: string, ordered: OrderedCertificate): ChainVerdict {
  const csr = readCsr(ordered.csrPem);
  let issued: IssuedChain;
  try {
    issued = readAnswered(text, keyOfCsr(csr), ordered.now);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { fault: `the CA's answer is not a certificate: ${error.message}` };
  }
  const fault =
    differenceFromCsr(issued, csr) ??
    timeFault(issued, ordered.now) ??
    nameFault(issued.leaf, ordered.identifiers) ??
    leafFault(issued) ??
    preCertificateFault(issued.leaf);
  if (fault !== undefined) return { fault };
  const chainFault = findChainFault(issued, ordered.now);
  if (chainFault !== undefined)
    return { fault: `TLS clients refuse the chain: ${chainFault}`, isChainFault: true };
  return { issued };
}

/** PEM of the leaf and its intermediates; roots are omitted. */
export function formatIssuedChain({ leaf, others }: IssuedChain): string {
  return [leaf, ...intermediatesOf(others)].map(({ der }) => formatPem(certificateLabel, der)).join('');
}

/** The chain whose topmost certificate was issued under the wanted name; else the CA's own choice. */
export function preferChain(
  chains: readonly string[],
  preferred: string | undefined,
  { keySha256, now }: { readonly keySha256: string; readonly now: Date },
): string {
  const [first = ''] = chains;
  if (preferred === undefined) return first;
  return chains.find((chain) => topIssuerNames(chain, keySha256, now).includes(preferred)) ?? first;
}

function topIssuerNames(chain: string, keySha256: string, now: Date): readonly string[] {
  try {
    const { leaf, others } = readAnswered(chain, keySha256, now);
    return listCommonNames((others.at(-1) ?? leaf).issuer);
  } catch (error) {
    if (error instanceof InvalidInput) return [];
    throw error;
  }
}

function nameFault(
  { subjectAltNames }: Certificate,
  identifiers: readonly AcmeIdentifier[],
): string | undefined {
  const names = [
    ...subjectAltNames.dnsNames.map((value) => ({ type: 'dns', value })),
    ...subjectAltNames.ipAddresses.map((value) => ({ type: 'ip', value })),
  ];
  return areSameIdentifiers(names, identifiers)
    ? undefined
    : 'the certificate is not for the names of the order';
}

// RFC 6962 §3.1
const poison = '1.3.6.1.4.1.11129.2.4.3';

function preCertificateFault({ extensions }: Certificate): string | undefined {
  return extensions.some(({ oid }) => oid === poison) ? 'it is a pre-certificate' : undefined;
}
