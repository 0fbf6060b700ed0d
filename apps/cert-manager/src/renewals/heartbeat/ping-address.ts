import { UpstreamFailed } from '@certloop/contracts';

/**
 * Uuid of the check whose ping address the monitor names. Only that is taken: the host stays the one that the
 * operator set. Throws UpstreamFailed.
 */
export function checkUuidIn(pingUrl: unknown): string {
  const [uuid] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(String(pingUrl)) ?? [];
  if (uuid === undefined) throw new UpstreamFailed("the monitor's answer names no ping address");
  return uuid;
}
