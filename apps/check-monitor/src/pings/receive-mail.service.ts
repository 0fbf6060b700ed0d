import { AppError } from '@certloop/contracts';
import type { Database } from '@certloop/db';
import { findTarget } from './find-target.service.js';
import type { IncomingPing } from './incoming-ping.js';
import { findKnownChecks } from './known-checks.repository.js';
import { mailWords } from './mail-words.js';
import type { PingTarget } from './ping-address.js';
import type { PingIntake } from './receive-ping.service.js';

export interface ReceiveMailDeps {
  readonly database: Database;
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

/** Uuids of the checks that there are of the targets, in their order. A slug of several checks names none. */
export async function findMailedChecks(
  deps: Pick<ReceiveMailDeps, 'database'>,
  targets: readonly PingTarget[],
): Promise<string[]> {
  const uuids: string[] = [];
  for (const target of targets) {
    const uuid = target.kind === 'uuid' ? target.uuid : await findTarget(deps, target).catch(refusedTarget);
    if (uuid !== undefined) uuids.push(uuid);
  }
  if (uuids.length === 0) return [];
  const known = new Set((await findKnownChecks(deps.database, [...new Set(uuids)])).map(({ uuid }) => uuid));
  return uuids.filter((uuid) => known.has(uuid));
}

function refusedTarget(error: unknown): undefined {
  if (!(error instanceof AppError)) throw error;
}

/**
 * Takes a mail as one ping of each of its checks. One that was deleted meanwhile gets none. Rejects when a ping could
 * not be stored.
 */
export async function receiveMail({ intake }: ReceiveMailDeps, mail: IncomingMail): Promise<void> {
  const words = mailWords(mail.source);
  for (const uuid of mail.checks) {
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
