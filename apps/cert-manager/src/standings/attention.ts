const minute = 60_000;
const day = 1440 * minute;
/** How long before its end people are notified of a certificate at the earliest. */
export const maxNoticeMs = 30 * day;

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

/** A quarter of what is left of the certificate by then, in seconds, 5 minutes to a day: what the queue may take. */
export function graceOf({
  expectedAt,
  notAfter,
}: {
  readonly expectedAt: Date;
  readonly notAfter: Date;
}): number {
  const left = (notAfter.getTime() - expectedAt.getTime()) / 4;
  return Math.ceil(Math.min(day, Math.max(5 * minute, left)) / 1000);
}
