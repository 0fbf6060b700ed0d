import { X509Certificate } from 'node:crypto';
import { z } from 'zod';

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/** PEM of exactly one certificate, which a CA may sign with. */
export const rootCertificate = pemOf((count) => count === 1, 'must be one certificate in PEM').refine(
  (text) => !isCertificate(text) || new X509Certificate(text).ca,
  'must be the certificate of a CA',
);

/** PEM of one or more certificates. */
export const rootCertificates = pemOf((count) => count >= 1, 'must be certificates in PEM');

function pemOf(isRightCount: (count: number) => boolean, message: string) {
  return z
    .string()
    .max(65_536)
    .refine((text) => {
      const blocks = text.match(block) ?? [];
      return (
        text.replace(block, '').trim() === '' && isRightCount(blocks.length) && blocks.every(isCertificate)
      );
    }, message);
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
