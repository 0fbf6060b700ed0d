import { InvalidInput } from '@certloop/contracts';
import { placeholders, querySql, type Tx } from '@certloop/db';
import { certificates } from './certificates.repository.js';

const { spkiSha256 } = certificates.columns;

/** Returns the keys, by fingerprint, for which a certificate of any FQDN was revoked as compromised. */
export async function listCompromisedKeys(tx: Tx, keys: readonly string[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const text = `select distinct spki_sha256 from certificates
    where revocation_reason = 'keyCompromise' and spki_sha256 in (${placeholders(keys.length)})`;
  const rows = await querySql(tx, { spkiSha256 }, text, keys);
  return new Set(rows.map((row) => row.spkiSha256));
}

/** Why no CA is asked to sign a CSR; undefined where its key is not known to be compromised. */
export async function findKeyRefusal(
  tx: Tx,
  csr: { readonly spkiSha256: string },
): Promise<InvalidInput | undefined> {
  return (await listCompromisedKeys(tx, [csr.spkiSha256])).size > 0 ? keyCompromised() : undefined;
}

/** The refusal of a CSR with a key that is compromised (CA/Browser Forum, Baseline Requirements §6.1.1.3). */
export function keyCompromised(): InvalidInput {
  const message =
    'a certificate for the key of this CSR was revoked because the key is compromised: upload a CSR with a new key';
  return new InvalidInput(message, { code: 'csr_key_compromised', title: 'Key is compromised' });
}
