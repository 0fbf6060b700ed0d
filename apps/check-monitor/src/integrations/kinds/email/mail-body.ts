import type { AlertedPing } from '../../messages/alert-event.js';
import { attachableMail } from './attached-mail.js';

/** Body of a ping as a mail shows it. */
export interface ShownBody {
  /** A sentence about it; empty when the body speaks for itself. */
  readonly note: string;
  readonly text?: string;
  /** The mail that the ping was. */
  readonly attachment?: Buffer;
}

const maxBytes = 10_000;
const maxOmitted = 5;

/** The end of a body, where logs say how a job ended, or the ping itself where it was a mail. Undefined without a body. */
export function shownBody({ isMail, body }: AlertedPing): ShownBody | undefined {
  if (body === null || body.length === 0) return undefined;
  if (!isMail) return endOf(body);
  const { source, omitted } = attachableMail(body);
  return { note: `See the attachment.${omittedNote(omitted)}`, attachment: source };
}

/** The same where the mail server refuses the attachment. */
export const refusedBody: ShownBody = {
  note: 'Not attached: the mail server refused a message of its size.',
};

function endOf(body: Buffer): ShownBody {
  if (body.length <= maxBytes) return { note: '', text: body.toString('utf8') };
  let begin = body.length - maxBytes;
  // a letter that is cut is omitted
  while (begin < body.length && ((body[begin] ?? 0) & 0xc0) === 0x80) begin += 1;
  return {
    note: `Showing the last ${maxBytes} bytes of ${body.length} bytes total.`,
    text: body.toString('utf8', begin),
  };
}

function omittedNote(omitted: readonly string[]): string {
  const named = omitted.slice(0, maxOmitted);
  const left = omitted.length - named.length;
  if (left > 0) named.push(`${left} more`);
  return named.length === 0 ? '' : ` Left out: ${named.join(', ')}.`;
}
