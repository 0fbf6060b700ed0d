import { createHash } from 'node:crypto';

/** What tells one wish for a certificate from every other. */
export interface SigningWish {
  readonly purpose: 'sign' | 'renew';
  readonly fqdnId: string;
  readonly csrId: string;
  /** The certificate that is the newest as long as the wish is not fulfilled; undefined for the first one. */
  readonly newestId: string | undefined;
  /** Tells apart wishes for the same that are under way at once. */
  readonly place?: number;
}

/**
 * Name of a wish, 43 characters of base64url. It is the same until a certificate is stored for it, whoever asks and
 * however often: a process that takes over from one that died asks for what that one was given, by this name.
 */
export function wishName({ purpose, fqdnId, csrId, newestId = '', place = 0 }: SigningWish): string {
  const parts = [purpose, fqdnId, csrId, newestId, place];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
