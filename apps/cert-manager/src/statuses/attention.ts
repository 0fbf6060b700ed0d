const minute = 60_000;
const day = 1440 * minute;
/** How long before its end people are notified of a certificate at the earliest. */
const maxNoticeMs = 30 * day;
// time for the replacement of a revoked certificate
const replacementMs = 5 * minute;

/** When people must know that nothing renews a certificate: 30 days before its end or a third of its lifetime, the shorter. */
export function noticeAt({
  notBefore,
  expiresAt,
}: {
  readonly notBefore: Date;
  readonly expiresAt: Date;
}): Date {
  const lifetime = expiresAt.getTime() - notBefore.getTime();
  return new Date(expiresAt.getTime() - Math.min(maxNoticeMs, lifetime / 3));
}

/** When the successor of a certificate is expected, and when people must act if there is none. */
export interface Expected {
  readonly expectedAt: Date;
  readonly attentionAt: Date;
}

/** Dates of a certificate; `dueAt` is when it should be renewed, with renewal on. */
export function expectedOf({
  renewalEnabled,
  dueAt,
  certificate,
}: {
  readonly renewalEnabled: boolean;
  readonly dueAt: Date | undefined;
  readonly certificate: {
    readonly notBefore: Date;
    readonly expiresAt: Date;
    readonly revokedAt: Date | null;
  };
}): Expected {
  const wanted = renewalEnabled ? (dueAt ?? certificate.expiresAt) : noticeAt(certificate);
  return expectedAfter(wanted, certificate);
}

/** The same where the successor of a certificate is wanted at a moment; at once if it is revoked. */
export function expectedAfter(
  wanted: Date,
  { revokedAt, expiresAt: notAfter }: { readonly revokedAt: Date | null; readonly expiresAt: Date },
): Expected {
  if (revokedAt !== null) return { expectedAt: revokedAt, attentionAt: after(revokedAt, replacementMs) };
  const expectedAt = first(wanted, notAfter);
  const graceEnd = after(expectedAt, graceOf({ expectedAt, notAfter }) * 1000);
  return { expectedAt, attentionAt: first(graceEnd, notAfter) };
}

/**
 * Seconds that the queue may take: a quarter of what is left of the certificate by then, 5 minutes to a day, but never
 * the last quarter, so that people know before the end.
 */
export function graceOf({
  expectedAt,
  notAfter,
}: {
  readonly expectedAt: Date;
  readonly notAfter: Date;
}): number {
  const left = Math.max(0, notAfter.getTime() - expectedAt.getTime());
  const minMs = Math.min(5 * minute, (left / 4) * 3);
  return Math.ceil(Math.min(day, Math.max(minMs, left / 4)) / 1000);
}

const first = (one: Date, other: Date) => new Date(Math.min(one.getTime(), other.getTime()));
const after = (moment: Date, ms: number) => new Date(moment.getTime() + ms);
