import type { DeliveryReport } from './delivery-report.js';

/** What a mail that came back says. */
export interface Bounce {
  /** Part of its address before the at sign: the envelope sender of what was sent. */
  readonly mailbox: string;
  /** Enhanced status code (RFC 3463), such as `5.1.1`; empty when there is none. */
  readonly status: string;
}

/** Reads a delivery status notification (RFC 3464), or whatever mail it is. */
export function parseBounce(source: Buffer): Bounce {
  const blocks = source
    .toString('latin1')
    .split(/(?:\r?\n){2,}/)
    .map(fieldsOf);
  const report = blocks.find((fields) => fields.has('status') && fields.has('action'));
  const [status = ''] = /^[0-9.]+/.exec(report?.get('status') ?? '') ?? [];
  return { mailbox: mailboxOf(blocks[0]?.get('to') ?? ''), status: status.slice(0, longestStatus) };
}

// three numbers of up to three digits
const longestStatus = 11;

/**
 * What a status says of later mails: 5 is for good, 4 is not (RFC 3463 §2), and 5.4.4, no route to the host, passes as
 * well. Undefined for all else, such as news of a success.
 */
export function reportOfStatus(status: string): DeliveryReport | undefined {
  const isFailure = status.startsWith('5.') || status.startsWith('4.');
  if (!isFailure) return undefined;
  const error = `Delivery failed (SMTP status code: ${status})`;
  return { error, isPermanent: status.startsWith('5.') && status !== '5.4.4' };
}

/** Header fields of a block by their names in lower case, the first of each name; folded ones are unfolded. */
function fieldsOf(block: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of block.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const [, name, value] = /^([!-9;-~]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || fields.has(name.toLowerCase())) continue;
    fields.set(name.toLowerCase(), value.trim());
  }
  return fields;
}

/** `"Someone" <a@b>` or `a@b`. */
function mailboxOf(to: string): string {
  const [, bracketed] = /<([^<>]*)>/.exec(to) ?? [];
  return (bracketed ?? to).split('@')[0]?.trim() ?? '';
}
