import { type Expected, expectedAfter, noticeAt } from '../attention.js';

/** The certificates that one account of an ACME client orders for the same names, with keys of one kind. */
export interface Lineage {
  /** SHA-256 that identifies it, hex. */
  readonly lineage: string;
  /** FQDN below which its certificates are stored. */
  readonly fqdn: string;
  readonly client: { readonly id: string; readonly name: string };
  readonly accountId: string;
  /** User agent of the account, as it was sent; empty if none was. */
  readonly userAgent: string;
  /** Last request of the account, and its address. */
  readonly seenAt: Date;
  readonly ipAddress: string;
  /** Its newest certificate. */
  readonly certificate: {
    readonly id: string;
    readonly serialNumber: string;
    readonly notBefore: Date;
    readonly expiresAt: Date;
    readonly revokedAt: Date | null;
  };
  /** End of the window that its renewalInfo names; undefined if the client has not read it. */
  readonly windowEnd: Date | undefined;
  /** The last order failed, and none was issued since. */
  readonly failure: { readonly at: Date; readonly reason: string } | undefined;
}

/**
 * When the next issued order of a lineage is expected: by the end of the window that the client has read, or else by 30
 * days before the expiry or a third of the lifetime, the shorter.
 */
export function expectedOfLineage({
  certificate,
  windowEnd,
}: Pick<Lineage, 'certificate' | 'windowEnd'>): Expected {
  return expectedAfter(windowEnd ?? noticeAt(certificate), certificate);
}

/** From when on people must act, unless the client renews before. */
export function attentionAtOfLineage(one: Lineage): Date {
  const { attentionAt } = expectedOfLineage(one);
  return one.failure !== undefined && one.failure.at < attentionAt ? one.failure.at : attentionAt;
}

/** The lineages in the order in which people must act; the first one decides the state of the FQDN. */
export function worstFirst(lineages: readonly Lineage[]): Lineage[] {
  const keyed = lineages.map((one) => ({ one, at: attentionAtOfLineage(one).getTime() }));
  keyed.sort((a, b) => a.at - b.at || (a.one.certificate.id < b.one.certificate.id ? -1 : 1));
  return keyed.map(({ one }) => one);
}

/** The failure that people must know first; undefined if the last order of each lineage is well. */
export function firstFailureOf(lineages: readonly Lineage[]): Lineage['failure'] {
  return lineages
    .flatMap(({ failure }) => failure ?? [])
    .sort((one, other) => one.at.getTime() - other.at.getTime())[0];
}
