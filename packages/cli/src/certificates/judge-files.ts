import {
  type Certificate,
  checkChain,
  isIssuedBy,
  isWithinValidity,
  publicKeysEqual,
} from '@certloop/crypto';
import { coversName } from '@certloop/tls-probe';

/** Verdict on one property of a certificate with its key and chain. */
export interface Finding {
  readonly check: 'dates' | 'pair' | 'chain' | 'name';
  readonly well: boolean;
  readonly message: string;
}

export function judgeDates(certificates: readonly Certificate[], now: Date): Finding {
  const [leaf] = certificates;
  const fault = certificates.find((certificate) => !isWithinValidity(certificate, now));
  const shown = fault ?? leaf;
  const dates = `serial ${shown?.serialNumber}: ${shown?.notBefore.toISOString()} to ${shown?.notAfter.toISOString()}`;
  return { check: 'dates', well: fault === undefined, message: dates };
}

export function judgePair(leaf: Certificate, spkiDer: Buffer): Finding {
  const well = publicKeysEqual(leaf.spkiDer, spkiDer);
  const message = well
    ? 'the key belongs to the certificate'
    : 'the key is another one: use that of the CSR that the certificate was issued for';
  return { check: 'pair', well, message };
}

/** The chain leads upwards from the leaf to its last certificate; whether that is trusted is for clients to say. */
export function judgeChain(leaf: Certificate, chain: readonly Certificate[], now: Date): Finding {
  const tops = chain.filter(
    (one) => !chain.some((other) => other !== one && isIssuedBy(one, other)) || isIssuedBy(one, one),
  );
  const checked = checkChain(leaf, chain, tops, now);
  const message = checked.ok
    ? 'the chain leads upwards from the certificate'
    : `${checked.reason}: add the missing intermediate`;
  return { check: 'chain', well: checked.ok, message };
}

export function judgeName(leaf: Certificate, name: string): Finding {
  const well = coversName(leaf, name);
  return { check: 'name', well, message: well ? `${name} is covered` : `${name} is not covered` };
}
