/**
 * Whether a person must act now, for example since a renewal fails. A name whose moment is still to come is omitted:
 * until then its renewal may run, and the moment moves on.
 */
export function needsPerson(attentionAt: string | undefined, now: number): boolean {
  return attentionAt !== undefined && Date.parse(attentionAt) <= now;
}
