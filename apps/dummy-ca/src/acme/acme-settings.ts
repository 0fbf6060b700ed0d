import type { CertificateProfile } from '../authority/certificate-profile.js';

/** Settings of ACME that the operator decides. */
export interface AcmeSettings {
  /** The first one is taken when an order asks for none. */
  readonly profiles: readonly CertificateProfile[];
  /** How far back a certificate begins at most, unless another beginning is asked for. */
  readonly backdateSeconds: number;
  /** Accounts must agree to its terms, which stand at this address; undefined for no terms. */
  readonly termsOfService: string | undefined;
  /** MAC keys by key identifier (RFC 8555 §7.3.4). */
  readonly externalAccounts: ReadonlyMap<string, Buffer>;
  readonly requireExternalAccount: boolean;
  readonly orderSeconds: number;
  readonly authorizationSeconds: number;
  /** Whether a later order takes over what an earlier one has proven. */
  readonly reuseAuthorizations: boolean;
  /** Whether a key is refused after a request signed by it has revoked a certificate as compromised. */
  readonly blockCompromisedKeys: boolean;
  readonly ordersPerPage: number;
  /** Time that clients are asked to wait before they ask again. */
  readonly retryAfterSeconds: number;
  readonly renewalInfoSeconds: number;
  /** Milliseconds that the answer to a challenge may wait for its validation. */
  readonly challengeWaitMs: number;
}
