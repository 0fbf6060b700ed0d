import type { BodyOf, CsrLint, certManagerContract } from '@certloop/contracts';
import { describeCsr, lintCsrText, spkiSha256 } from '@certloop/crypto';
import type { Tx } from '@certloop/db';
import { unknownProvider } from '../fqdns/fqdn-provider.service.js';
import { normalHostname } from '../judging/hostname.js';
import { findProvider } from '../providers/providers.repository.js';
import { type CsrRules, csrRulesOf } from './csr-findings.js';
import { csrContentView } from './csr-view.js';
import type { CsrsDeps } from './csrs.service.js';

/** The body of a request to lint a CSR. */
type LintRequest = BodyOf<typeof certManagerContract.lintCsr>;

/**
 * Returns the findings about a text that should be a CSR; stores nothing. Throws InvalidInput for a host name that is none
 * and a provider that does not exist.
 */
export async function lintSentCsr(
  { db, listCompromisedKeys }: CsrsDeps,
  request: LintRequest,
): Promise<CsrLint> {
  const rules = await db.read((tx) => readRules(tx, request));
  const { csr, ...first } = await lintCsrText(request.csrPem, rules);
  if (csr === undefined) return { ...first, findings: [...first.findings] };
  const key = spkiSha256(csr.spkiDer);
  const isKeyCompromised = (await db.read((tx) => listCompromisedKeys(tx, [key]))).has(key);
  const { verdict, findings } = isKeyCompromised
    ? await lintCsrText(request.csrPem, { ...rules, isKeyCompromised })
    : first;
  return { verdict, findings: [...findings], description: csrContentView(describeCsr(csr)) };
}

async function readRules(tx: Tx, { fqdn: text, providerId, profile }: LintRequest): Promise<CsrRules> {
  const fqdn = text === undefined ? undefined : normalHostname(text);
  if (profile !== undefined) return { profile, fqdn };
  if (providerId === undefined) return csrRulesOf(undefined, fqdn);
  const provider = await findProvider(tx, providerId);
  if (provider === undefined) throw unknownProvider();
  return csrRulesOf(provider, fqdn);
}
