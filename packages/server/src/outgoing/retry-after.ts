/**
 * The moment that a Retry-After header names (RFC 9110 §10.2.3: seconds from now, or a date); undefined without
 * one, or with one that names none.
 */
export function parseRetryAfter(text: string | undefined, now: Date): Date | undefined {
  const trimmed = text?.trim() ?? '';
  if (/^\d{1,10}$/.test(trimmed)) return new Date(now.getTime() + Number(trimmed) * 1000);
  // only the form that senders must use; Date would also read what is not a date to others
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(trimmed)) return undefined;
  const date = new Date(trimmed);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
