import { orProblem, parseAcmeCsr } from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import { csrLabels, formatPem } from '@certloop/crypto';
import { judgeCsrText, type ValidatedCsr } from '../../csrs/validate-csr.service.js';
import type { FrontAccount, FrontOrder } from '../front-records.service.js';

/** A CSR that may be issued for, and the kind of its key, such as `RSA`. */
export interface ClientCsr {
  readonly validated: ValidatedCsr;
  readonly keyKind: string;
}

/**
 * Judges the CSR of finalize, base64url of its DER, as an upload for the FQDN is judged. Throws `malformed` for another text,
 * and `badCSR` with the sentence of the judge, also if its names are not exactly those of the order or its key is the account's
 * (RFC 8555 §7.4, §11.1).
 */
export async function judgeClientCsr(
  text: string,
  order: FrontOrder,
  account: FrontAccount,
): Promise<ClientCsr> {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new AcmeProblem('malformed', 'csr is not in base64url');
  const pem = formatPem(csrLabels[0], Buffer.from(text, 'base64url'));
  const { csr } = parseAcmeCsr(text, order.identifiers, account.key);
  const validated = await judgeCsrText(pem, order.row.fqdn).catch(asBadCsr);
  return { validated, keyKind: csr.publicKey.kind };
}

/** Throws the sentence of an error on as `badCSR`. */
export function asBadCsr(error: unknown): never {
  return orProblem('badCSR', () => {
    throw error;
  });
}
