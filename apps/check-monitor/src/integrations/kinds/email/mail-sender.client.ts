import { createTransport, type SendMailOptions } from 'nodemailer';
import {
  type DeliveryResult,
  delivered,
  failedTemporarily,
  refusedForGood,
  stoppedDelivery,
  undelivered,
} from '../../delivery/delivery-result.js';

/** A mail, and what is sent in its place when the server refuses its size. */
export type Sendable = SendMailOptions & { readonly smaller?: SendMailOptions };

/** Sends a mail once and returns what happened to it; never rejects. */
export type SendMail = (mail: Sendable) => Promise<DeliveryResult>;

export interface MailSenderOptions {
  /** `smtp://user:password@host:port`, or `smtps://…`. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly timeoutMs: number;
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
}

/** Sender by SMTP. */
export function createMailSender({ smtpUrl: url, from, timeoutMs, stop }: MailSenderOptions): SendMail {
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
  const send = async (mail: Sendable): Promise<DeliveryResult> => {
    try {
      await sendOnce(mail);
      return delivered;
    } catch (error) {
      return judge(error as SmtpFault);
    }
  };
  return (mail) => {
    if (stop.aborted) return Promise.resolve(stoppedDelivery);
    return new Promise((resolve) => {
      const giveUp = () => resolve(stoppedDelivery);
      stop.addEventListener('abort', giveUp, { once: true });
      void send(mail)
        .then(resolve)
        .finally(() => stop.removeEventListener('abort', giveUp));
    });
  };
}

/** Failure as nodemailer describes it. */
interface SmtpFault {
  readonly message: string;
  readonly responseCode?: number;
  readonly response?: string;
  readonly command?: string;
  readonly code?: string;
}

/**
 * RFC 5321 §4.2.1: 5 is permanent, 4 is not. RFC 3463 §3.2: 5.1.x says that there is no such mailbox. What the server
 * refuses before it was asked for a recipient, such as the login, is not about the message.
 */
function judge({ responseCode, response = '', command = '', code }: SmtpFault): DeliveryResult {
  if (code === 'ETIMEDOUT') return failedTemporarily('the mail server does not answer', 'timed-out');
  if (responseCode === undefined) {
    const isLogin = code === 'EAUTH';
    return failedTemporarily(
      isLogin ? 'the mail server refuses the login' : 'the mail server cannot be reached',
    );
  }
  const error = `the mail server answered ${response.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  if (responseCode < 500 || !aboutTheMail.has(command)) return failedTemporarily(error);
  const isGone = command === 'RCPT TO' && /^55[013][ -]5\.1\./.test(response);
  return isGone ? refusedForGood(error) : undelivered(error);
}

const aboutTheMail: ReadonlySet<string> = new Set(['MAIL FROM', 'RCPT TO', 'DATA']);
/**
 * RFC 5321 §4.2.3: 552, more than is taken; RFC 3463 §3.3 and §3.4: 5.2.3 and 5.3.4, too long for the mailbox or the
 * server. nodemailer sends nothing where the server has said its limit before.
 */
function isSizeRefusal({ responseCode = 0, response = '', code, message }: SmtpFault): boolean {
  if (responseCode === 0) return code === 'EMESSAGE' && message.startsWith('Message size larger');
  return responseCode === 552 || (responseCode >= 500 && /^5\d\d[ -]5\.(?:2\.3|3\.4)\b/.test(response));
}
