import type { KeyObject } from 'node:crypto';
import type { PublicJwk } from '@certloop/crypto';

export interface Account {
  readonly id: string;
  jwk: PublicJwk;
  key: KeyObject;
  thumbprint: string;
  contacts: readonly string[];
  termsAgreed: boolean;
  /** The binding as it was sent; undefined without one. */
  readonly externalAccountBinding: object | undefined;
  deactivatedAt: Date | undefined;
}
