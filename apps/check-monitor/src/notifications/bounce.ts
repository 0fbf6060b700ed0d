import { firstField, parsePart } from '../mime.js';
import type { DeliveryReport } from './delivery-report.js';

/** Status of a delivery, from a mail that came back. */
export interface DeliveryStatus {
  /** Enhanced status code (RFC 3463), such as `5.1.1`; empty if there is none. */
  readonly status: string;
  /** Answer of the mail server that refused the mail, such as `550 no such user`; empty if there is none. */
  readonly diagnostic: string;
}

/**
 * Mailbox that a mail came back to, which is the envelope sender of what was sent; empty if there is none. Reads the
 * header only: anyone may send such a mail, so its signature comes before everything else.
 */
export function bounceMailbox(source: Buffer): string {
  return mailboxOf(firstField(parsePart(source).fields, 'to'));
}

/** Bytes that a report is looked for in: it has a few kB, and stands before the mail that is sent back with it. */
export const maxReportBytes = 65_536;

/** Reads a delivery status notification (RFC 3464), or whatever mail it is. */
export function parseDeliveryStatus(source: Buffer): DeliveryStatus {
  const blocks = source
    .toString('utf8', 0, maxReportBytes)
    .split(/(?:\r?\n){2,}/)
    .map(fieldsOf);
  const report = blocks.find((fields) => fields.has('status') && fields.has('action'));
  const [status = ''] = /^[0-9.]+/.exec(report?.get('status') ?? '') ?? [];
  const diagnostic = (report?.get('diagnostic-code') ?? '').replace(/^smtp;\s*/i, '');
  return { status: status.slice(0, maxStatusLength), diagnostic };
}

// three numbers of up to three digits
const maxStatusLength = 11;
const maxErrorLength = 200;

/**
 * Returns what a status means for later mails: 5 is permanent, 4 is not (RFC 3463 §2), and 5.4.4, no route to the host,
 * passes as well. Undefined for all else, such as a success.
 */
export function reportOfStatus({ status, diagnostic }: DeliveryStatus): DeliveryReport | undefined {
  const isFailure = status.startsWith('5.') || status.startsWith('4.');
  if (!isFailure) return undefined;
  const reason = diagnostic === '' ? `SMTP status code: ${status}` : diagnostic.replaceAll(/\p{Cc}+/gu, ' ');
  const error = [...`Delivery failed (${reason})`].slice(0, maxErrorLength).join('');
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
