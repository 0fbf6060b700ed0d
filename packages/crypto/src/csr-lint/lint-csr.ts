import type { CsrFinding, CsrVerdict } from '@certloop/contracts';
import { InvalidInput } from '@certloop/contracts';
import { type Csr, parseCsr, verifyCsr } from '../csrs/csr.js';
import { csrLabels, parsePem, parsePemBlocks } from '../der/pem.js';
import type { Verification } from '../keys/signatures.js';
import { noGeneralNames } from '../names/general-names.js';
import { keyRules } from './key-rules.js';
import { type CsrLintCode, csrLintCodes } from './lint-codes.js';
import { type CsrLintOptions, type LintFacts, lintFactsOf, usualMaxNames } from './lint-facts.js';
import type { LintRule } from './lint-rule.js';
import { nameRules } from './name-rules.js';
import { type BareFinding, fixesOf } from './repair.js';
import { requestRules } from './request-rules.js';
import { type SalvagedNames, salvageNames } from './salvaged-names.js';
import { shellQuoted } from './shell-quoted.js';

/** Findings about a text that should be a CSR. */
export interface CsrLintResult {
  readonly verdict: CsrVerdict;
  readonly findings: readonly CsrFinding[];
  /** Undefined for a text that is not a CSR. */
  readonly csr: Csr | undefined;
}

/**
 * Finds the faults of a text that should be a CSR in PEM, and checks its signature. Never throws for a text: what is
 * not a CSR is a finding. A private key in the text is not read.
 */
export async function lintCsrText(text: string, options: CsrLintOptions): Promise<CsrLintResult> {
  const read = readCsr(text, options);
  const { csr } = read;
  const findings = csr === undefined ? read.findings : lintCsr(csr, options, await verifyCsr(csr));
  return { verdict: csrVerdict(findings), findings, csr };
}

/** Finds the faults of a CSR that was stored after its signature was checked. Never throws. */
export function lintStoredCsr(csrPem: string, options: CsrLintOptions): CsrFinding[] {
  const { csr, findings } = readCsr(csrPem, options);
  return csr === undefined ? findings : lintCsr(csr, options);
}

type ReadCsr =
  | { readonly csr: Csr; readonly findings?: never }
  | { readonly csr?: never; readonly findings: CsrFinding[] };

function readCsr(text: string, options: CsrLintOptions): ReadCsr {
  let der: Buffer | undefined;
  try {
    der = parsePem(text, csrLabels);
    return { csr: parseCsr(der) };
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return { findings: fileFindings(error, { text, der }, options) };
  }
}

/** Finds the faults of a CSR. Without a verification, its signature was checked earlier. */
export function lintCsr(csr: Csr, options: CsrLintOptions, possession?: Verification): CsrFinding[] {
  const facts = lintFactsOf(csr, options, possession);
  const bare = allRules.flatMap((rule) => applyRule(rule, facts));
  const names = { commonNames: facts.description.commonNames, subjectAltNames: csr.subjectAltNames };
  return withFixes([...possessionFindings(facts, bare), ...bare], names, options);
}

/** The verdict on all findings together. */
export function csrVerdict(findings: readonly Pick<CsrFinding, 'severity'>[]): CsrVerdict {
  if (findings.some(({ severity }) => severity === 'error')) return 'refused';
  return findings.some(({ severity }) => severity === 'warning') ? 'warnings' : 'ok';
}

const version: LintRule = [
  'version_not_0',
  ({ csr }) =>
    csr.version === 0
      ? undefined
      : `its version is ${csr.version}; RFC 2986 allows 0 alone, and some CAs refuse others`,
];

const compromised: LintRule = [
  'key_compromised',
  ({ isKeyCompromised }) =>
    isKeyCompromised === true
      ? 'a certificate for its key was revoked because the key is compromised'
      : undefined,
];

const allRules: readonly LintRule[] = [version, ...keyRules, compromised, ...nameRules, ...requestRules];

function applyRule([code, find]: LintRule, facts: LintFacts): BareFinding[] {
  const usual = csrLintCodes[code].severities[facts.profile];
  const found = find(facts);
  if (found === undefined) return [];
  const { message, severity } = typeof found === 'string' ? { message: found, severity: usual } : found;
  return severity === null ? [] : [{ code, severity, message }];
}

/** A signature that cannot be checked has its reason in the key, which has findings of its own. */
function possessionFindings({ possession }: LintFacts, findings: readonly BareFinding[]): BareFinding[] {
  if (possession === undefined || possession.ok) return [];
  const isExplained = findings.some(
    ({ code, severity }) => severity === 'error' && explaining.has(csrLintCodes[code].group),
  );
  if (possession.code !== 'invalid_signature' && isExplained) return [];
  const message = `its signature is refused: ${possession.reason}`;
  return [{ code: 'signature_wrong', severity: 'error', message }];
}

const explaining: ReadonlySet<string> = new Set(['possession', 'RSA', 'EC', 'future']);

function withFixes(
  findings: readonly BareFinding[],
  names: SalvagedNames,
  options: CsrLintOptions,
): CsrFinding[] {
  const maxNames = options.maxNames ?? usualMaxNames;
  const fixes = fixesOf(findings, names, { ...options, maxNames });
  return findings.map(({ code, message, severity }, index) => {
    const fix = fixes[index];
    const { rule } = csrLintCodes[code];
    return { code, message, severity, rule, ...(fix !== undefined && { fix }) };
  });
}

/** The one finding about a text that could not be read. */
function fileFindings(
  refusal: InvalidInput,
  { text, der }: { readonly text: string; readonly der: Buffer | undefined },
  options: CsrLintOptions,
): CsrFinding[] {
  const code = fileCode(refusal, text);
  const names = der === undefined ? { commonNames: [], subjectAltNames: noGeneralNames } : salvageNames(der);
  const message = code === 'private_key_present' ? keyDiscarded : refusal.message;
  const findings = withFixes([{ code, severity: 'error', message }], names, options);
  if (!isDer(text)) return findings;
  const openssl = conversionLine(options.csrFile ?? 'request.der');
  const fix = { openssl, text: 'Convert the file to PEM.' };
  return findings.map((finding) => ({ ...finding, fix }));
}

const keyDiscarded = 'its text contains a private key; it was not read and is not stored';

const fileCodes: ReadonlyMap<string, CsrLintCode> = new Map([
  ['private_key_in_upload', 'private_key_present'],
  ['malformed_pem', 'not_pem'],
  ['duplicate_extension', 'extension_repeated'],
  ['duplicate_attribute', 'extension_repeated'],
]);

function fileCode({ code, message }: InvalidInput, text: string): CsrLintCode {
  if (code === 'wrong_pem_block') return parsePemBlocks(text).length > 1 ? 'several_blocks' : 'not_pem';
  if (/octets follow its end/.test(message)) return 'trailing_data';
  if (/it contains no name/.test(message)) return 'san_empty';
  return fileCodes.get(code) ?? 'not_der';
}

/** Whether octets that were read as UTF-8 look like a DER SEQUENCE of some length. */
const isDer = (text: string): boolean => /^0[\u0080-\uFFFF]/.test(text);

const conversionLine = (file: string): string =>
  `openssl req -inform DER -in ${shellQuoted(file)} -out ${shellQuoted(`${file.replace(/\.(?:der|csr)$/i, '')}.pem`)}`;
