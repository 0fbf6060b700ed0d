import { type Mark, StateChip } from '@certloop/web-kit';
import { endOf } from './certificate-end.js';

const marks = {
  revoked: { tone: 'bad', shape: 'triangle', word: 'revoked' },
  replaced: { tone: 'idle', shape: 'circle', word: 'replaced' },
  expired: { tone: 'bad', shape: 'octagon', word: 'expired' },
  valid: { tone: 'ok', shape: 'check', word: 'valid' },
} as const satisfies Record<string, Mark>;

/** Whether a certificate can still be used. */
export function CertificateState({
  certificate,
  isReplaced,
  now,
}: {
  readonly certificate: Parameters<typeof endOf>[0] & { readonly revokedAt?: string | undefined };
  readonly isReplaced: boolean;
  readonly now: number;
}) {
  if (certificate.revokedAt !== undefined) return <StateChip {...marks.revoked} />;
  if (isReplaced) return <StateChip {...marks.replaced} />;
  return <StateChip {...(Date.parse(endOf(certificate)) <= now ? marks.expired : marks.valid)} />;
}
