import type { AddressInfo } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerAddress, type SMTPServerOptions } from 'smtp-server';

export interface MailServer {
  readonly url: string;
  /** Mails that arrived, oldest first. */
  readonly mails: ParsedMail[];
  /** The same mails as they came over the wire. */
  readonly sources: string[];
  /** How often a message was offered, taken or not. */
  readonly offers: string[];
  /** Envelope senders of the mails that arrived. */
  readonly senders: string[];
  /** Refuses recipients with this answer from now on; undefined takes them again. */
  refuse(code: number | undefined, message?: string): void;
  /** Refuses longer messages with this answer from now on, when they have arrived. */
  limit(bytes: number, code: number, message: string): void;
  reset(): void;
  close(): Promise<void>;
}

/** A small SMTP server on a free port of this machine that keeps what it is sent. */
export async function startMailServer(overrides: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ParsedMail[] = [];
  const sources: string[] = [];
  const offers: string[] = [];
  const senders: string[] = [];
  let refusal: Error | undefined;
  let limit: { readonly bytes: number; readonly refusal: Error } | undefined;
  const options: SMTPServerOptions = {
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...overrides,
    onRcptTo: (address: SMTPServerAddress, _session, done) => {
      offers.push(address.address);
      done(refusal);
    },
    onData: (stream, { envelope }, done) => {
      stream
        .toArray()
        .then(async (chunks: Buffer[]) => {
          const source = Buffer.concat(chunks);
          if (limit !== undefined && source.length > limit.bytes) throw limit.refusal;
          senders.push(envelope.mailFrom === false ? '' : envelope.mailFrom.address);
          sources.push(source.toString('utf8'));
          mails.push(await simpleParser(source));
          done();
        })
        .catch(done);
    },
  };
  const server = new SMTPServer(options);
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const answer = (code: number, message: string) => Object.assign(new Error(message), { responseCode: code });
  const refuse = (code: number | undefined, message = '') => {
    refusal = code === undefined ? undefined : answer(code, message);
  };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    sources,
    offers,
    senders,
    refuse,
    limit: (bytes, code, message) => {
      limit = { bytes, refusal: answer(code, message) };
    },
    reset: () => {
      mails.length = 0;
      sources.length = 0;
      offers.length = 0;
      senders.length = 0;
      refuse(undefined);
      limit = undefined;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
