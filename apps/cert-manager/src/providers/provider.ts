import type { RevocationReasonName } from '@certloop/contracts';
import type { OrderJournal } from '../acme/orders/order-steps.js';
import type { LeafFacts } from '../judging/issued-certificate.js';

/** How an attempt to reach a provider went; `message` is a sentence for people. */
export interface ProviderReport {
  readonly success: boolean;
  readonly message: string;
}

/** A certificate that has been checked against its CSR; `certificatePem` is the leaf and its intermediates. */
export interface IssuedCertificate {
  readonly certificatePem: string;
  /** Id of the certificate at the provider; null if it gives none. */
  readonly upstreamId: string | null;
  /** Finding that people should know, in a sentence that continues another. */
  readonly finding?: string | undefined;
  /** Facts of the leaf, where they are known already. */
  readonly facts?: LeafFacts | undefined;
}

/** A certificate that a provider issued, or may have issued, and that is not stored: what is known of it, and why. */
export interface UnacceptedCertificate {
  /** Hex. */
  readonly serialNumber?: string | undefined;
  /** Of its key, hex. */
  readonly spkiSha256?: string | undefined;
  readonly upstreamId?: string | null | undefined;
  /** A sentence for people. */
  readonly reason: string;
}

/** Why a provider did not sign, and what that means for asking again. */
export interface SignRefusal {
  /** A sentence for people. */
  readonly reason: string;
  /** Asking again changes nothing until someone does something about it. */
  readonly isPermanent?: boolean;
  /** The provider was asked and its answer did not arrive: it may have issued all the same. */
  readonly mayHaveIssued?: boolean;
  /** Certificate that it issued instead of the requested one; absent where `store` got it. */
  readonly unaccepted?: UnacceptedCertificate | undefined;
  /** The provider could not validate a name; how often that may fail is bounded there. */
  readonly isValidation?: boolean;
  /** Not before this moment, says the provider. */
  readonly notBefore?: Date | undefined;
  /** It says so because of its rate limits. */
  readonly isRateLimited?: boolean;
  /** Stable machine key, such as `csr_not_fit_for_acme` or an ACME problem's name. */
  readonly code?: string | undefined;
  /** Type of the problem as the provider spells it. */
  readonly problemType?: string | undefined;
  /** Nothing failed: someone has to publish something, and confirm it, before the order can go on. */
  readonly isWaiting?: boolean;
}

/** A provider that refuses or fails is a result here, with its reason, and no exception. */
export type SignOutcome =
  | ({ readonly isSigned: true } & IssuedCertificate)
  | ({ readonly isSigned: false } & SignRefusal);

/** State of an order under way, in the provider's own form. It must hold no secret. */
export type OrderState = Readonly<Record<string, unknown>>;

/** Where a provider stores the progress of an order, so that another process can resume it. */
export interface OrderProgress extends OrderJournal {
  /** State that was stored last; undefined for a new order. */
  readonly stored: OrderState | undefined;
  /**
   * On disk when it resolves; undefined forgets an order that is over. Rejects when the order has passed to
   * someone else; nothing more may be done for it then. Rejects with OrderAbandoned when its FQDN was deleted. Records
   * in the same transaction what the order led to, if that is not accepted.
   */
  store(state: OrderState | undefined, unaccepted?: UnacceptedCertificate): Promise<void>;
  /** PEM of the certificate whose place the new one takes. */
  readonly replaces?: string | undefined;
}

export type RefreshOutcome =
  | { readonly status: 'found'; readonly certificatePem: string }
  /** The provider no longer knows the certificate. */
  | { readonly status: 'missing' }
  /** The provider has nothing to ask. */
  | { readonly status: 'unchanged' };

/** A certificate to ask for again; `spkiSha256` is the fingerprint of its key, hex. */
export interface KnownCertificate {
  readonly upstreamId: string;
  readonly spkiSha256: string;
}

/** When a CA wants a certificate renewed (RFC 9773 §4.2), and when it wants to be asked again. */
export interface RenewalAdvice {
  readonly start: Date;
  readonly end: Date;
  readonly explanationUrl: string | undefined;
  readonly retryAt: Date | undefined;
}

/** A certificate to revoke, and why. */
export interface RevocationOrder {
  /** The leaf comes first. */
  readonly certificatePem: string;
  /** Hex. */
  readonly serialNumber: string;
  readonly reason: RevocationReasonName;
}

export type RevokeOutcome =
  | { readonly status: 'revoked' }
  /** It was revoked before; since when and why, as far as the provider says. */
  | {
      readonly status: 'already_revoked';
      readonly revokedAt?: Date | undefined;
      readonly reason?: RevocationReasonName | undefined;
    }
  /** It does not revoke this certificate, or not for this reason; a sentence with what to do. */
  | { readonly status: 'refused'; readonly message: string };

/** One way to obtain certificates, with its configuration applied. Nothing here opens a transaction. */
export interface Provider {
  /** Whether the provider can be reached as configured; `deep` also tries what leaves a trace there. */
  test(depth: 'shallow' | 'deep'): Promise<ProviderReport>;
  /**
   * With `progress`, an order that was under way is taken up instead of placed again. `requestName` names what is wanted, at
   * most 100 characters of base64url: asked again by the same name within a day, a provider without orders gives what
   * it gave then, if it can.
   */
  sign(csrPem: string, progress?: OrderProgress, requestName?: string): Promise<SignOutcome>;
  /**
   * Asks for a certificate again. Throws UpstreamFailed when there is no answer, or one that is not to be trusted
   * or not of the same key.
   */
  refresh(known: KnownCertificate): Promise<RefreshOutcome>;
  /**
   * Returns the certificate of an order that is to be dropped; undefined if there is none. Absent where there are no
   * orders. Throws UpstreamFailed.
   */
  readonly findIssued?: (order: OrderState) => Promise<Omit<UnacceptedCertificate, 'reason'> | undefined>;
  /** Gives the account with the CA another key. Absent where there are no accounts. Throws UpstreamFailed. */
  readonly changeAccountKey?: () => Promise<void>;
  /** Undefined for a CA that gives no advice. Absent where no CA does. Throws UpstreamFailed. */
  readonly adviseRenewal?: (certificatePem: string) => Promise<RenewalAdvice | undefined>;
  /** PEM of the root to which its certificates chain. Absent where that is not known. Throws UpstreamFailed. */
  readonly readRoot?: () => Promise<string>;
  /** Revokes a certificate. Absent where that cannot be asked for. Throws UpstreamFailed: asking again may succeed. */
  readonly revoke?: (order: RevocationOrder) => Promise<RevokeOutcome>;
}

/** Text of others as it may be passed on: one line without control characters, cut to this many characters. */
export function readableText(text: string, maxLength = 500): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1)}…`.toWellFormed() : line;
}
