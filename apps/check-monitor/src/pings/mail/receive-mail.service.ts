import { AppError } from '@certloop/contracts';
import { yieldBetween } from '@certloop/db';
import type { IncomingPing } from '../incoming-ping.js';
import type { PingIntake } from '../intake/receive-ping.service.js';
import type { PingTarget } from '../ping-address.js';
import { mailWords } from './mail-words.js';

export interface ReceiveMailDeps {
  readonly intake: PingIntake;
}

/** A mail as it came in. */
export interface IncomingMail {
  /** Sender of the envelope. */
  readonly from: string;
  /** Uuids of its checks. */
  readonly checks: readonly string[];
  readonly remoteAddr: string | null;
  /** The whole message, headers and all. */
  readonly source: Buffer;
}

const maxUserAgentLength = 200;
/** Mails up to this size take some milliseconds to read. */
const maxAtOnceBytes = 65_536;

/** Uuids of the checks that the targets name, in their order. A slug of several checks names none. */
export async function findMailedChecks(
  { intake }: ReceiveMailDeps,
  targets: readonly PingTarget[],
): Promise<string[]> {
  const uuids: string[] = [];
  for await (const target of yieldBetween(targets)) {
    try {
      uuids.push(await intake.find(target));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return uuids;
}

/**
 * Takes a mail as one ping of each of its checks. One that was deleted in the meantime gets none. Rejects when a ping could
 * not be stored.
 */
export async function receiveMail({ intake }: ReceiveMailDeps, mail: IncomingMail): Promise<void> {
  const words = mailWords(mail.source);
  if (mail.source.length > maxAtOnceBytes) {
    for await (const _step of yieldBetween(words.readAhead()));
  }
  for await (const uuid of yieldBetween(mail.checks)) {
    try {
      await intake.receive(pingOf(mail, words, uuid));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
}

function pingOf(
  { from, remoteAddr, source }: IncomingMail,
  mail: IncomingPing['mail'] & object,
  uuid: string,
): IncomingPing {
  const target = { kind: 'uuid', uuid } as const;
  return {
    address: { target, action: 'success', exitStatus: undefined, runId: undefined },
    origin: { remoteAddr, scheme: 'email' },
    method: '',
    userAgent: `Email from ${from}`.slice(0, maxUserAgentLength),
    body: source,
    mail,
  };
}
