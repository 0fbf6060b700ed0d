import { AcmeProblem } from '@certloop/contracts';
import { dns01Name, dns01Value, type Proof } from '../records/challenges.js';
import type { Names } from './names.client.js';

/**
 * Looks for the digest among the TXT records (RFC 8555 §8.4). Throws `dns` when the resolver fails, `unauthorized`
 * without a record, `incorrectResponse` when none of the records is right.
 */
export async function proveDns01(
  { identifier, keyAuthorization }: Proof,
  names: Names,
  signal: AbortSignal,
): Promise<void> {
  const name = dns01Name(identifier.value);
  const texts = await names.textsOf(name, signal);
  if (texts.includes(dns01Value(keyAuthorization))) return;
  if (texts.length === 0) throw new AcmeProblem('unauthorized', `${name} has no TXT record`);
  const shown = texts.slice(0, 3).map((text) => JSON.stringify(text.slice(0, 80)));
  throw new AcmeProblem('incorrectResponse', `no TXT record of ${name} is right: ${shown.join(', ')}`);
}
