import type { KeyObject } from 'node:crypto';
import type { PublicJwk } from '@certloop/crypto';
import type { Request } from 'express';
import type { Account } from '../records/records.js';
import type { AcmeLinks } from './acme-links.js';

/** A request whose signature holds. */
export interface SignedRequest<A extends Account = Account> {
  readonly url: string;
  readonly links: AcmeLinks;
  readonly nonce: string;
  readonly key: KeyObject;
  readonly jwk: PublicJwk;
  /** Account that signed; undefined when the key itself was sent. */
  readonly account: A | undefined;
  /** Empty for POST-as-GET (RFC 8555 §6.3). */
  readonly payload: Buffer;
  /** The request itself, for its address and header fields. */
  readonly exchange: Request;
}
