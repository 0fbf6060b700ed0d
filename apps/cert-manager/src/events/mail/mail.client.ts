import { createTransport } from 'nodemailer';

export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps://…`; set by the operator. */
  readonly smtpUrl: string;
  readonly from: string;
  /** Addresses, separated by commas. */
  readonly to: string;
}

export interface MailClientOptions extends MailSettings {
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
}

export interface NoticeMail {
  /** The same for each try of a mail, so that one which arrives twice can be recognised. */
  readonly id: string;
  readonly subject: string;
  readonly text: string;
}

/**
 * Sends a mail once; returns how many recipients the server refused while it took the mail for others. Throws Error
 * with a reason that may be logged: neither address nor password of the server is in it. Throws Stopped.
 */
export type SendMail = (mail: NoticeMail) => Promise<number>;

const timeoutMs = 10_000;

export function createMailClient({ smtpUrl: url, from, to, stop }: MailClientOptions): SendMail {
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const transport = createTransport({ url, ...timeouts, disableFileAccess: true, disableUrlAccess: true });
  return async ({ id, subject, text }) => {
    const messageId = `<${id}@certloop>`;
    // RFC 3834 §5: so that no answering machine answers
    const headers = { 'Auto-Submitted': 'auto-generated' };
    try {
      const send = () => transport.sendMail({ from, to, subject, text, messageId, headers });
      const { rejected } = await unlessStopped(send, stop);
      return rejected.length;
    } catch (error) {
      if (error instanceof Stopped) throw error;
      throw new Error(reasonOf(error as SmtpFault));
    }
  };
}

/** The service stops: it is not known whether the server accepted the mail, if it was begun at all. */
export class Stopped extends Error {}

function unlessStopped<T>(work: () => Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new Stopped('the service stops'));
    if (stop.aborted) return giveUp();
    stop.addEventListener('abort', giveUp, { once: true });
    work()
      .then(resolve, reject)
      .finally(() => stop.removeEventListener('abort', giveUp));
  });
}

/** Failure as nodemailer describes it. */
interface SmtpFault {
  readonly responseCode?: number;
  readonly response?: string;
  readonly code?: string;
}

function reasonOf({ responseCode, response = '', code }: SmtpFault): string {
  if (code === 'EAUTH') return 'the mail server refuses the login: check NOTICE_SMTP_URL';
  if (code === 'ETIMEDOUT') return 'the mail server does not answer';
  if (responseCode === undefined) return 'the mail server cannot be reached: check NOTICE_SMTP_URL';
  return `the mail server answered ${response.replaceAll(/\s+/g, ' ').slice(0, 200)}`;
}
