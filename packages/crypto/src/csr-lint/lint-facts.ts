import type { CsrProfile } from '@certloop/contracts';
import type { Csr } from '../csrs/csr.js';
import { type CsrDescription, describeCsr } from '../csrs/csr-description.js';
import type { Verification } from '../keys/signatures.js';
import { describeRsaKey, type RsaFacts } from '../keys/weak-rsa.js';
import { type JudgedNames, judgeNames } from './judged-names.js';

/** Purpose of a CSR, and the files that commands name. */
export interface CsrLintOptions {
  readonly profile: CsrProfile;
  /** Host name in normal form that the CSR must cover. */
  readonly fqdn?: string | undefined;
  /** Names that the CA allows in one certificate; 100 unless given. */
  readonly maxNames?: number | undefined;
  /** File of the key, for the commands. */
  readonly keyFile?: string | undefined;
  /** File of the CSR, for the commands. */
  readonly csrFile?: string | undefined;
  /** Whether a certificate for the key was revoked because the key is compromised. */
  readonly isKeyCompromised?: boolean | undefined;
}

/** A CSR with all that the rules ask of it. */
export interface LintFacts extends CsrLintOptions {
  readonly csr: Csr;
  readonly description: CsrDescription;
  /** Of RSA keys whose size is accepted. */
  readonly rsa: RsaFacts | undefined;
  readonly names: JudgedNames;
  readonly maxNames: number;
  /** Undefined for a CSR whose signature was checked earlier. */
  readonly possession: Verification | undefined;
}

/** Sizes of RSA keys that are accepted, in bits. */
export const rsaBounds = { min: 2048, max: 8192 } as const;

/** Names that CAs allow in one certificate. */
export const usualMaxNames = 100;

export function lintFactsOf(
  csr: Csr,
  options: CsrLintOptions,
  possession: Verification | undefined,
): LintFacts {
  const description = describeCsr(csr);
  const { keySize } = description;
  const isAnalysed = keySize >= rsaBounds.min && keySize <= rsaBounds.max;
  return {
    ...options,
    csr,
    description,
    // the analysis of a larger key would keep a core busy
    rsa: isAnalysed ? describeRsaKey(csr.spkiDer) : undefined,
    names: judgeNames(csr.subjectAltNames),
    maxNames: options.maxNames ?? usualMaxNames,
    possession,
  };
}
