import { AppError } from '@certloop/contracts';
import { type ParsedMail, simpleParser } from 'mailparser';
import { textOfHtml } from './html-text.js';
import type { IncomingPing } from './incoming-ping.js';
import type { PingTarget } from './ping-address.js';
import type { PingIntake } from './receive-ping.service.js';
import type { MailPing } from './signal.js';

/** A mail as it came in. */
export interface IncomingMail {
  /** Sender of the envelope. */
  readonly from: string;
  readonly targets: readonly PingTarget[];
  readonly remoteAddr: string | null;
  /** The whole message, headers and all. */
  readonly source: Buffer;
}

const longestUserAgent = 200;

/**
 * Takes a mail as one ping of each of its checks. A check that is not there, or a slug of several, is nobody's
 * business: the mail is dropped. Rejects when a ping could not be stored.
 */
export async function receiveMail(intake: PingIntake, mail: IncomingMail): Promise<void> {
  const said = await readMail(mail.source);
  for (const target of mail.targets) {
    try {
      await intake.receive(pingOf(mail, said, target));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}

function pingOf(
  { from, remoteAddr, source }: IncomingMail,
  mail: MailPing,
  target: PingTarget,
): IncomingPing {
  return {
    address: { target, action: 'success', exitStatus: undefined, runId: undefined },
    origin: { remoteAddr, scheme: 'email' },
    method: '',
    userAgent: `Email from ${from}`.slice(0, longestUserAgent),
    body: source,
    mail,
  };
}

const unread: Pick<ParsedMail, 'subject' | 'text' | 'html'> = { html: false };

/** What cannot be taken apart, such as a mail of thousands of parts, has no words but is a mail all the same. */
async function readMail(source: Buffer): Promise<MailPing> {
  const options = { skipHtmlToText: true, skipTextToHtml: true, skipTextLinks: true, skipImageLinks: true };
  const { subject = '', text, html } = await simpleParser(source, options).catch(() => unread);
  return {
    subject,
    texts: [...(text === undefined ? [] : [text]), ...(html === false ? [] : [textOfHtml(html)])],
  };
}
