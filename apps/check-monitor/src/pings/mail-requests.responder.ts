import type { AddressInfo } from 'node:net';
import type { Logger } from '@certloop/server';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import { originOf } from './client-address.js';
import { parseMailAddress } from './mail-address.js';
import type { PingTarget } from './ping-address.js';
import { receiveMail } from './receive-mail.service.js';
import type { PingIntake } from './receive-ping.service.js';

export interface MailListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Domain of the addresses that are taken. */
  readonly domain: string;
  /** Octets of a message at most. */
  readonly sizeLimit: number;
}

export interface MailListener {
  readonly port: number;
  close(): Promise<void>;
}

// each may hold a whole message in memory
const mostClients = 50;

/** Listens for mails (RFC 5321) that are pings; a mail is accepted once its pings are on disk. */
export async function listenForMail(
  deps: { readonly intake: PingIntake; readonly logger: Logger },
  options: MailListenerOptions,
): Promise<MailListener> {
  const server = new SMTPServer({
    size: options.sizeLimit,
    maxClients: mostClients,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: ({ address }, _session, done) => done(refusalOf(parseMailAddress(address, options.domain))),
    onData: (stream, session, done) => {
      takeMail(deps.intake, options, stream, session).then(
        () => done(),
        (error: Error) => {
          if (!(error instanceof MailRefused)) deps.logger.error({ error }, 'mail.failed');
          done(error instanceof MailRefused ? error : new MailRefused(451, '4.3.0 Try again later'));
        },
      );
    },
  });
  // a client that breaks off is no fault of ours
  server.on('error', ({ message }) => deps.logger.info({ reason: message }, 'mail.broken_off'));
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

class MailRefused extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

function refusalOf(parsed: PingTarget | string): MailRefused | null {
  return typeof parsed === 'string' ? new MailRefused(550, `5.1.1 ${parsed}`) : null;
}

async function takeMail(
  intake: PingIntake,
  { domain, sizeLimit }: MailListenerOptions,
  stream: SMTPServerDataStream,
  { envelope, remoteAddress }: SMTPServerSession,
): Promise<void> {
  const source = await receiveSource(stream, sizeLimit);
  const targets = envelope.rcptTo
    .map(({ address }: SMTPServerAddress) => parseMailAddress(address, domain))
    .filter((target) => typeof target !== 'string');
  const { mailFrom } = envelope;
  const from = mailFrom === false ? '' : mailFrom.address;
  const sender = { peer: remoteAddress, forwardedFor: undefined, forwardedProto: undefined };
  await receiveMail(intake, { from, targets, remoteAddr: originOf(sender, []).remoteAddr, source });
}

/** Reads to the end even when it is too much: the client hears the answer only then. */
async function receiveSource(stream: SMTPServerDataStream, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
  }
  if (length > limit) throw new MailRefused(552, '5.3.4 Message too large');
  return Buffer.concat(chunks);
}
