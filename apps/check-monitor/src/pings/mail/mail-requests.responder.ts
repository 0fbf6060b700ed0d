import type { AddressInfo, Socket } from 'node:net';
import { createLimiter, type Logger, networkOf, startFailure } from '@certloop/server';
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerSession,
} from 'smtp-server';
import { originOf } from '../client-address.js';
import type { PingTarget } from '../ping-address.js';
import { parseMailAddress } from './mail-address.js';
import { createMailMemory, inRounds, type MailMemory } from './mail-memory.store.js';
import { findMailedChecks, type ReceiveMailDeps, receiveMail } from './receive-mail.service.js';

export interface MailListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Domain of the addresses that are taken; the service greets by it. */
  readonly domain: string;
  /** Octets of a message at most. */
  readonly sizeLimit: number;
}

export interface MailListener {
  readonly port: number;
  close(): Promise<void>;
}

const maxClients = 100;
// mail servers open up to 20 to one receiver
const maxClientsOfNetwork = 20;
// RFC 5321 §4.5.3.1.8: no fewer
const maxRecipients = 100;
const maxLargestMails = 4;
// a client that is cut off sends its mail again
const closeTimeoutMs = 1000;

/**
 * Listens for mails (RFC 5321) that are pings; a mail is accepted once its pings are on disk. Throws StartFailed when
 * it cannot listen.
 */
export async function listenForMail(
  deps: ReceiveMailDeps & { readonly logger: Logger },
  options: MailListenerOptions,
): Promise<MailListener> {
  const { domain, sizeLimit, host } = options;
  // one at a time, so that however many mails come, pings by HTTP wait for the work on one
  const limited = createLimiter({ atOnce: 1 });
  const memory = createMailMemory(maxLargestMails * sizeLimit);
  const server = new SMTPServer({
    name: domain,
    size: sizeLimit,
    maxClients,
    maxRecipients,
    closeTimeout: closeTimeoutMs,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onRcptTo: ({ address }, _session, done) => done(refusalOf(parseMailAddress(address, domain))),
    onData: (stream, session, done) => {
      takeMail({ ...deps, limited, memory }, options, stream, session).then(
        () => done(),
        (error: Error) => {
          if (stream.destroyed && !stream.readableEnded)
            deps.logger.info({ reason: error.message }, 'mail.aborted');
          else if (!(error instanceof MailRefused)) deps.logger.error({ error }, 'mail.failed');
          done(error instanceof MailRefused ? error : new MailRefused(451, '4.3.0 Try again later'));
        },
      );
    },
  });
  const connections = createConnectionCounts(maxClientsOfNetwork);
  // before the server counts it: connections of one network must not take the places of all others
  server.server.prependListener('connection', (socket) => {
    if (connections.admit(socket)) return;
    socket.write(`421 ${domain} Too many connections from your address, try again in a moment\r\n`);
    socket.destroySoon();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(startFailure(error, options)));
    server.listen(options.port, host, resolve);
  });
  // a client that breaks off is no fault of ours
  server.on('error', ({ message }) => deps.logger.info({ reason: message }, 'mail.aborted'));
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

interface TakeMailDeps extends ReceiveMailDeps {
  readonly limited: ReturnType<typeof createLimiter>;
  readonly memory: MailMemory;
}

async function takeMail(
  deps: TakeMailDeps,
  { domain, sizeLimit }: MailListenerOptions,
  stream: SMTPServerDataStream,
  { envelope, remoteAddress }: SMTPServerSession,
): Promise<void> {
  const targets = envelope.rcptTo
    .map(({ address }: SMTPServerAddress) => parseMailAddress(address, domain))
    .filter((target) => typeof target !== 'string');
  const checks = await findMailedChecks(deps, targets);
  if (checks.length === 0) return dropMail(stream);
  const { mailFrom } = envelope;
  const from = mailFrom === false ? '' : mailFrom.address;
  const sender = { peer: remoteAddress, forwardedFor: undefined, forwardedProto: undefined };
  const { remoteAddr } = originOf(sender, []);
  const isTaken = await deps.memory.hold(stream, sizeLimit, async (source) => {
    await deps.limited(() => receiveMail(deps, { from, checks, remoteAddr, source }));
    return true;
  });
  if (isTaken) return;
  if (stream.sizeExceeded) throw new MailRefused(552, '5.3.4 Message too large');
  throw new MailRefused(452, '4.3.1 Too many mails at once, try again later');
}

/** Reads without keeping anything: the client hears the answer only at the end. */
async function dropMail(stream: SMTPServerDataStream): Promise<void> {
  for await (const _chunk of inRounds(stream));
}

/**
 * Counts connections by the network that they come from, until they close. `admit` returns false for one too many,
 * which it does not count.
 */
function createConnectionCounts(maxPerNetwork: number): { admit(socket: Socket): boolean } {
  const open = new Map<string, number>();
  return {
    admit: (socket) => {
      const network = networkOf(socket.remoteAddress ?? '');
      const count = open.get(network) ?? 0;
      if (count >= maxPerNetwork) return false;
      open.set(network, count + 1);
      socket.once('close', () => {
        const left = (open.get(network) ?? 1) - 1;
        if (left === 0) open.delete(network);
        else open.set(network, left);
      });
      return true;
    },
  };
}
