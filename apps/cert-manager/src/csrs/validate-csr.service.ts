import { InvalidInput } from '@certloop/contracts';
import {
  type Csr,
  csrLabels,
  describeCsr,
  describeRsaKey,
  formatPem,
  lintCsrText,
  parseCsr,
  parsePem,
  spkiSha256,
  verifyCsr,
} from '@certloop/crypto';
import type { FqdnRow } from '../fqdns/fqdns.repository.js';
import type { FqdnPlace } from '../fqdns/fqdns.service.js';
import { invalidField } from '../http/problem.js';
import { isKeyAllowed, requireUsableCsr } from '../judging/csr-policy.js';
import { readHostname } from '../judging/hostname.js';
import { askedNames } from './asked-names.js';
import type { CsrRules } from './csr-findings.js';
import { formatDescription } from './csr-view.js';
import type { CsrRow } from './csrs.repository.js';

export interface CsrUpload extends FqdnPlace {
  /** Content of the file, expected to be PEM text. */
  readonly file: Uint8Array;
  /** Space and name for which the request says the CSR is. */
  readonly stated: { readonly spaceId: string; readonly fqdn: string };
}

export type ValidatedCsr = Pick<CsrRow, 'csrPem' | 'description' | 'spkiSha256'>;

/**
 * Returns the part of an upload that is stored. Throws InvalidInput; if the CSR is at fault, it says how to repair it.
 */
export async function validateCsr(
  { file, stated }: CsrUpload,
  fqdn: FqdnRow,
  rules: CsrRules,
): Promise<ValidatedCsr> {
  requireStated(stated, fqdn);
  const text = Buffer.from(file).toString('utf8');
  try {
    return await judgeCsrText(text, fqdn.fqdn);
  } catch (error) {
    throw error instanceof InvalidInput ? await withFix(error, text, rules) : error;
  }
}

/** Returns what is stored of the CSR in the text. Throws InvalidInput unless it can be stored for the host name. */
export async function judgeCsrText(text: string, hostname: string): Promise<ValidatedCsr> {
  const csr = parseText(text);
  const description = describeCsr(csr);
  const facts = {
    ...description,
    hasSubjectAltName: csr.subjectAltNameDer !== undefined,
    // a key whose size is rejected anyway is not analysed
    ...(isKeyAllowed(description) && { rsa: describeRsaKey(csr.spkiDer) }),
  };
  requireUsableCsr(facts, hostname);
  await requirePossession(csr);
  return {
    csrPem: formatPem(csrLabels[0], csr.der),
    description: formatDescription(description, askedNames(csr)),
    spkiSha256: spkiSha256(csr.spkiDer),
  };
}

/** The refusal with what repairs the worst finding about the text. */
async function withFix(refusal: InvalidInput, text: string, rules: CsrRules): Promise<InvalidInput> {
  const { findings } = await lintCsrText(text, rules);
  const { code, title, fields, message } = refusal;
  const fix = findings.find(({ severity }) => severity === 'error')?.fix;
  return new InvalidInput(message, {
    code,
    ...(title !== undefined && { title }),
    fields,
    fix,
    cause: refusal,
  });
}

/** Throws InvalidInput unless the request says what its path says. */
function requireStated(stated: CsrUpload['stated'], fqdn: FqdnRow): void {
  if (stated.spaceId !== fqdn.spaceId)
    throw invalidField('spaceId', 'is not the space of the path', 'mismatch');
  if (readHostname(stated.fqdn).hostname !== fqdn.fqdn) {
    throw invalidField('fqdn', `is not the FQDN of the path, ${fqdn.fqdn}`, 'mismatch');
  }
}

/** RFC 2986 §4.2: the signature proves that the requester holds the private key. */
async function requirePossession(csr: Csr): Promise<void> {
  const verification = await verifyCsr(csr);
  if (!verification.ok) throw csrFault(verification.code, `its signature is refused: ${verification.reason}`);
}

/** The CSR that the text holds as its only PEM block. Throws InvalidInput. */
function parseText(text: string): Csr {
  try {
    return parseCsr(parsePem(text, csrLabels));
  } catch (error) {
    throw error instanceof InvalidInput ? csrFault(error.code, error.message, error) : error;
  }
}

function csrFault(code: string, message: string, cause?: InvalidInput): InvalidInput {
  return new InvalidInput(`csr: ${message}`, {
    code,
    title: cause?.title ?? 'Not a valid CSR',
    fields: [{ path: 'csr', code, message }],
    cause,
  });
}
