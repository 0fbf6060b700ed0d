/** A session ends when it has not been used for this long … */
export const idleMs = 30 * 60_000;
/** … and after this long in any case. */
export const maxSessionMs = 12 * 3_600_000;

export function hasEnded(
  session: { readonly lastUsedAt: Date; readonly expiresAt: Date },
  now: Date,
): boolean {
  return session.expiresAt <= now || now.getTime() - session.lastUsedAt.getTime() >= idleMs;
}
