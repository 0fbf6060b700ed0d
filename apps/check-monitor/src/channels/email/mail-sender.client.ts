import { setTimeout as pause } from 'node:timers/promises';
import { createTransport, type SendMailOptions } from 'nodemailer';
import { type DeliveryResult, delivered, refusedForGood, undelivered } from '../delivery-result.js';

/** A mail, and what is sent in its place when the server refuses its size. */
export type Sendable = SendMailOptions & { readonly smaller?: SendMailOptions };

/** Sends a mail and tells what became of it; never rejects. */
export type SendMail = (mail: Sendable, options?: { readonly isOnce?: boolean }) => Promise<DeliveryResult>;

export interface MailSenderOptions {
  /** `smtp://user:password@host:port`, or `smtps://…`. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly timeoutMs: number;
  /** Milliseconds to wait before each further try. */
  readonly retryDelaysMs: readonly number[];
}

/** Sender by SMTP; a failure that may pass is tried again. */
export function createMailSender(options: MailSenderOptions): SendMail {
  const { smtpUrl: url, from, timeoutMs, retryDelaysMs } = options;
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  // what a ping brought is sent as it is, never as the name of a file or an address to read
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  const sendOnce = async ({ smaller, ...mail }: Sendable): Promise<void> => {
    try {
      await transport.sendMail({ ...mail, from });
    } catch (error) {
      if (smaller === undefined || !isSizeRefusal(error as SmtpFault)) throw error;
      await transport.sendMail({ ...smaller, from });
    }
  };
  return async (mail, { isOnce = false } = {}) => {
    const delays = isOnce ? [] : retryDelaysMs;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await sendOnce(mail);
        return delivered;
      } catch (error) {
        const { result, isFinal } = judge(error as SmtpFault);
        const delay = delays[attempt];
        if (isFinal || delay === undefined) return result;
        await pause(delay);
      }
    }
  };
}

/** What nodemailer tells of a failure. */
interface SmtpFault {
  readonly message: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  readonly code?: string;
}

/** RFC 5321 §4.2.1: 5 is for good, 4 is not. RFC 3463 §3.2: 5.1.x says that there is no such mailbox. */
function judge({ responseCode, response = '', command, code }: SmtpFault): {
  result: DeliveryResult;
  isFinal: boolean;
} {
  if (responseCode === undefined) {
    const error =
      code === 'EAUTH' ? 'the mail server refuses the login' : 'the mail server cannot be reached';
    return { result: undelivered(error), isFinal: false };
  }
  const error = `the mail server answered ${response.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  const isGone = command === 'RCPT TO' && /^55[013][ -]5\.1\./.test(response);
  return { result: isGone ? refusedForGood(error) : undelivered(error), isFinal: responseCode >= 500 };
}

/**
 * RFC 5321 §4.2.3: 552, more than is taken; RFC 3463 §3.3 and §3.4: 5.2.3 and 5.3.4, too long for the mailbox or the
 * server. nodemailer sends nothing where the server has said its limit before.
 */
function isSizeRefusal({ responseCode = 0, response = '', code, message }: SmtpFault): boolean {
  if (responseCode === 0) return code === 'EMESSAGE' && message.startsWith('Message size larger');
  return responseCode === 552 || (responseCode >= 500 && /^5\d\d[ -]5\.(?:2\.3|3\.4)\b/.test(response));
}
