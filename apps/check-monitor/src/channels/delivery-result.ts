/**
 * What became of a message. `permanent` means that no later one can succeed either, such as to an address that was
 * taken back; the channel is switched off then. `settings` are those to keep from now on, where the target moved.
 */
export type DeliveryResult =
  | { readonly ok: true; readonly settings?: object }
  | {
      readonly ok: false;
      readonly error: string;
      readonly permanent: boolean;
      /** The target is told too much: the same message may go out after that many milliseconds, not before. */
      readonly retryAfterMs?: number;
    };

export const delivered: DeliveryResult = { ok: true };

/** A message that did not arrive, though the next one may. */
export function undelivered(error: string): DeliveryResult {
  return { ok: false, error, permanent: false };
}

/** A message that did not go out, as the target takes no more at present. */
export function tooMany(error: string, retryAfterMs: number): DeliveryResult {
  return { ok: false, error, permanent: false, retryAfterMs };
}

/** A message that did not arrive, as no other will. */
export function refusedForGood(error: string): DeliveryResult {
  return { ok: false, error, permanent: true };
}
