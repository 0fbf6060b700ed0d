/** When clients no longer take a certificate: when it ends, or an intermediate of its chain before it. */
export function endOf({
  expiresAt,
  chainExpiresAt,
}: {
  readonly expiresAt: string;
  readonly chainExpiresAt?: string | undefined;
}): string {
  return chainExpiresAt ?? expiresAt;
}
