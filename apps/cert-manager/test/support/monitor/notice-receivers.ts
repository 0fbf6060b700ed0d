import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';
import { Webhook } from 'standardwebhooks';
import { listening, textOf } from '../small-server.js';

/** A mail server on a free port of this machine. */
export interface MailReceiver {
  readonly url: string;
  readonly mails: ParsedMail[];
  /** Refuses each message, or takes it and cuts the connection before the answer, or never answers. */
  failing: 'refused' | 'cut' | 'silent' | undefined;
  close(): Promise<void>;
}

export const mailPassword = 'password-that-no-log-may-show';

export async function startMailReceiver(): Promise<MailReceiver> {
  const receiver = { mails: [] as ParsedMail[], failing: undefined as MailReceiver['failing'] };
  const sockets = new Set<Socket>();
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ password }, _session, done) =>
      password === mailPassword ? done(null, { user: 'ada' }) : done(new Error('wrong password')),
    onData: (stream, _session, done) => {
      stream
        .toArray()
        .then(async (chunks: Buffer[]) => {
          if (receiver.failing === 'refused')
            throw Object.assign(new Error('try later'), { responseCode: 451 });
          receiver.mails.push(await simpleParser(Buffer.concat(chunks)));
          if (receiver.failing === 'silent') return;
          if (receiver.failing !== 'cut') return done();
          for (const socket of sockets) socket.destroy();
        })
        .catch(done);
    },
  });
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(receiver, {
    url: `smtp://ada:${mailPassword}@127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

export interface ReceivedHook {
  readonly id: string;
  readonly contentType: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly subject: string;
    readonly data: Readonly<Record<string, unknown>>;
  } & Readonly<Record<string, unknown>>;
}

/** A receiver of webhooks that takes only what is signed, judged by the library of Standard Webhooks. */
export interface HookReceiver {
  readonly url: string;
  readonly secret: string;
  readonly hooks: ReceivedHook[];
  /** How many requests there were, taken or not. */
  requests: number;
  /** Status that answers instead, for events of this subject or all; 0 cuts the connection after taking the event, -1 never answers, -2 neither, after taking it. */
  failing: { readonly status: number; readonly subject?: string; readonly retryAfter?: string } | undefined;
  close(): Promise<void>;
}

export async function startHookReceiver(): Promise<HookReceiver> {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const receiver = {
    hooks: [] as ReceivedHook[],
    requests: 0,
    failing: undefined as HookReceiver['failing'],
  };
  const webhook = new Webhook(secret);
  const server = createServer(async (request, response) => {
    receiver.requests += 1;
    const body = await textOf(request);
    const headers = request.headers as Record<string, string>;
    const answer = (status: number) => response.writeHead(status).end();
    if (!isSigned(webhook, body, headers)) return answer(401);
    const event = JSON.parse(body) as ReceivedHook['event'];
    const { failing } = receiver;
    const fails = failing !== undefined && [undefined, event.subject].includes(failing.subject);
    // the caller waits
    if (fails && failing.status === -1) return;
    if (fails && failing.status > 0) {
      const { status, retryAfter } = failing;
      return response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end();
    }
    receiver.hooks.push({
      id: headers['webhook-id'] ?? '',
      contentType: headers['content-type'] ?? '',
      event,
    });
    if (fails && failing.status === -2) return;
    if (fails) return request.socket.destroy();
    return answer(204);
  });
  const { url, close } = await listening(server);
  return Object.assign(receiver, { url: `${url}/hook`, secret, close });
}

/** Signs again by the library: its own check compares the moment with the wall clock, which tests move. */
function isSigned(webhook: Webhook, body: string, headers: Record<string, string>): boolean {
  const {
    'webhook-id': id = '',
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures = '',
  } = headers;
  return signatures.split(' ').includes(webhook.sign(id, new Date(Number(timestamp) * 1000), body));
}
