import { AppError, abortAfter, InvalidInput } from '@certloop/contracts';
import {
  type Certificate,
  certificateLabel,
  isIssuedBy,
  parseCertificate,
  parsePem,
  readIssuerAddresses,
} from '@certloop/crypto';
import { findChainFault, type IssuedChain } from '../../judging/issued-certificate.js';
import { readableText } from '../provider.js';

/** A chain, completed if that was necessary and possible; else `finding` says what is missing. */
export interface CompletedChain {
  readonly issued: IssuedChain;
  readonly finding?: string;
}

interface Fetching {
  /** Guarded: the certificate names the address. */
  readonly fetch: typeof fetch;
  readonly requestMs: number;
  readonly stopping: AbortSignal;
  readonly now: Date;
}

// as many intermediates as real chains have, and one more
const maxIntermediates = 4;

/**
 * Adds the issuer of a certificate that a CA sent alone, from the first address that the certificate names for it (RFC 5280
 * §4.2.2.1), and the issuers above that one. At most four requests; a root is not added, as clients have it. Never throws,
 * unless the service stops.
 */
export async function completeChain(issued: IssuedChain, fetching: Fetching): Promise<CompletedChain> {
  const { leaf, others } = issued;
  const [address] = readIssuerAddresses(leaf.extensions);
  if (others.length > 0 || address === undefined || isIssuedBy(leaf, leaf)) return { issued };
  const missing = (reason: string) => ({
    issued,
    finding: `the CA sent it without its intermediate, which could not be fetched: ${readableText(reason)}; fetch the chain again from the CA`,
  });
  try {
    const issuer = await readIssuer(address, fetching);
    if (!isIssuedBy(leaf, issuer)) return missing(`${address} is not the certificate of its issuer`);
    const completed = { leaf, others: [issuer] };
    const fault = findChainFault(completed, fetching.now);
    return fault === undefined ? { issued: await addIssuers(completed, fetching) } : missing(fault);
  } catch (error) {
    fetching.stopping.throwIfAborted();
    return missing(error instanceof AppError ? error.message : `${address} did not answer`);
  }
}

/**
 * Adds the issuers of the last certificate as far as they can be fetched. A failure is no finding: the last one may have
 * been issued by a root, whose address often leads nowhere.
 */
async function addIssuers({ leaf, others }: IssuedChain, fetching: Fetching): Promise<IssuedChain> {
  const top = others.at(-1);
  const [address] = top === undefined || isIssuedBy(top, top) ? [] : readIssuerAddresses(top.extensions);
  if (top === undefined || address === undefined || others.length === maxIntermediates)
    return { leaf, others };
  try {
    const issuer = await readIssuer(address, fetching);
    const longer = { leaf, others: [...others, issuer] };
    const isUseful = isIssuedBy(top, issuer) && !isIssuedBy(issuer, issuer);
    if (!isUseful || findChainFault(longer, fetching.now) !== undefined) return { leaf, others };
    return await addIssuers(longer, fetching);
  } catch {
    fetching.stopping.throwIfAborted();
    return { leaf, others };
  }
}

/** DER as RFC 5280 has it, or PEM as some CAs do. */
async function readIssuer(address: string, { fetch, requestMs, stopping }: Fetching): Promise<Certificate> {
  const signal = AbortSignal.any([abortAfter(requestMs), stopping]);
  const answer = await fetch(address, { signal });
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.status !== 200) throw new InvalidInput(`${address} was answered with ${answer.status}`);
  const isPem = bytes.subarray(0, 64).includes('-----BEGIN');
  return parseCertificate(isPem ? parsePem(bytes.toString('latin1'), [certificateLabel]) : bytes);
}
