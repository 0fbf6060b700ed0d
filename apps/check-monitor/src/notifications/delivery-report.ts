/** Report by a carrier of a message that did not arrive. */
export interface DeliveryReport {
  readonly error: string;
  /** Whether the channel is to be switched off, as nothing can arrive. */
  readonly isPermanent: boolean;
}

const maxErrorLength = 200;

/**
 * Report in the fields of a callback: `error`, which is permanent if `mark_disabled` is not empty, or the statuses that
 * telephone services send. Undefined when it reports no failure.
 */
export function reportOfCallback(fields: URLSearchParams): DeliveryReport | undefined {
  const status = fields.getAll('MessageStatus').at(-1) ?? '';
  const given = cut(fields.getAll('error').at(-1) ?? '');
  const isPermanent = given !== '' && (fields.getAll('mark_disabled').at(-1) ?? '') !== '';
  if (fields.getAll('CallStatus').at(-1) === 'failed') return { error: failedWith('failed'), isPermanent };
  if (status === 'failed' || status === 'undelivered') return { error: failedWith(status), isPermanent };
  return given === '' ? undefined : { error: given, isPermanent };
}

function failedWith(status: string): string {
  return `Delivery failed (status=${status}).`;
}

/** PostgreSQL takes no null characters in a text. */
function cut(text: string): string {
  return [...text.replaceAll('\0', '')].slice(0, maxErrorLength).join('');
}
