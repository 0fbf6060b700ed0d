import { createHash } from 'node:crypto';
import { InvalidInput, type SigningRequest } from '@certloop/contracts';
import type { Clock } from '@certloop/server';
import { createBoundedMap } from '../authority/bounded-map.js';
import type { CertificatesStore, IssuedCertificate } from '../authority/certificates.store.js';

/** Certificates by the idempotency keys of their requests: a caller that lost the response and repeats the request gets the same certificate. */
export interface IdempotencyStore {
  /**
   * The certificate that was issued under the key in the last day, or what `issue` returns. What was refused is
   * not remembered. Throws InvalidInput when the key was used for another request.
   */
  answer(
    key: string,
    request: SigningRequest,
    issue: () => Promise<IssuedCertificate>,
  ): Promise<IssuedCertificate>;
}

interface Asked {
  readonly fingerprint: string;
  readonly at: number;
  /** Its id only: another store bounds how many certificates are in memory. */
  readonly certificateId: Promise<string>;
}

const retentionMs = 86_400_000;
const maxStored = 10_000;

export function createIdempotencyStore(certificates: CertificatesStore, clock: Clock): IdempotencyStore {
  const byKey = createBoundedMap<Asked>({ limit: maxStored });

  const remember = (key: string, asked: Asked) => {
    byKey.delete(key);
    byKey.insert(key, asked);
    asked.certificateId.catch(() => {
      if (byKey.get(key) === asked) byKey.delete(key);
    });
  };
  return {
    answer: async (key, request, issue) => {
      const fingerprint = fingerprintOf(request);
      const at = clock.now().getTime();
      const asked = byKey.get(key);
      if (asked !== undefined && at - asked.at < retentionMs) {
        if (asked.fingerprint !== fingerprint) throw usedForAnother();
        const known = certificates.find(await asked.certificateId);
        if (known !== undefined) return known;
      }
      const issued = issue();
      remember(key, { fingerprint, at, certificateId: issued.then(({ id }) => id) });
      return issued;
    },
  };
}

function fingerprintOf(request: SigningRequest): string {
  const { csr, validity_days: days, validity_seconds: seconds, not_before_offset_seconds: offset } = request;
  const asked = [days, seconds, offset, request.profile, csr];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64');
}

function usedForAnother(): InvalidInput {
  return new InvalidInput('this Idempotency-Key was used for another request');
}

const keyFormat = /^[\x21-\x7e]{1,200}$/;

/** Key of a request; undefined when it has none. Throws InvalidInput for one that is not a plain word. */
export function parseIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && keyFormat.test(header)) return header;
  throw new InvalidInput('Idempotency-Key must be 1 to 200 visible ASCII characters');
}
