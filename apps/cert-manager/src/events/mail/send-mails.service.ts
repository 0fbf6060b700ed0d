import { randomUUID } from 'node:crypto';
import { type Database, type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../../db-deps.js';
import type { MailDestination } from '../event.js';
import { listEvents } from '../events.repository.js';
import { nextMailAfter, nextMailTry } from '../notice-waits.js';
import {
  addToMail,
  countOfMail,
  deleteOfMail,
  hasMailNotice,
  listOfMail,
  type MailBatch,
} from '../notices.repository.js';
import { type SendMail, Stopped } from './mail.client.js';
import { type ClaimedTurn, claimMailTurn, updateMailTurn } from './mail-turns.repository.js';
import { maxEventsInMail, noticeMail } from './notice-mail.js';

export interface MailDeps extends DbDeps {
  readonly logger: Logger;
  readonly destination: MailDestination;
  readonly send: SendMail;
}

// longer than a mail takes, with the marking of what goes with it
const leaseMs = 300_000;
// few enough that no other work waits long for the database
const slice = 250;
const maxSlices = 400;

/**
 * Sends one mail with all that happened since the last one to the destination, if a minute has passed since. One process sends at a time. A
 * mail whose answer was lost is sent again with the same Message-ID.
 */
export async function sendMail(deps: MailDeps): Promise<void> {
  const { db, clock, destination } = deps;
  if (!(await db.read((tx) => hasMailNotice(tx, destination)))) return;
  const now = clock.now();
  const token = randomUUID();
  const claim = { now, token, until: new Date(now.getTime() + leaseMs) };
  const turn = await db.transaction((tx) => claimMailTurn(tx, destination, claim));
  if (turn === undefined) return;
  const mail = { destination, batch: turn.batch ?? token };
  if (!turn.isSent && !(await trySending(deps, turn, mail))) return;
  await inSlices(db, (tx) => deleteOfMail(tx, mail, slice));
  const free = { batch: null, isSent: false, attempts: 0, leaseToken: null };
  await db.transaction((tx) => updateMailTurn(tx, turn, { ...free, dueAt: nextMailAfter(now) }));
}

/** Whether the mail was sent, and that is written down. */
async function trySending(deps: MailDeps, turn: ClaimedTurn, mail: MailBatch): Promise<boolean> {
  const { batch } = mail;
  const { db, clock, logger, send } = deps;
  await inSlices(db, (tx) => addToMail(tx, mail, slice));
  const { events, counts } = await db.longRead(async (tx) => {
    const rows = await listOfMail(tx, mail, maxEventsInMail);
    return { events: await listEvents(tx, rows), counts: await countOfMail(tx, mail) };
  });
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  try {
    const refused = await send({ id: batch, ...noticeMail({ events, counts }) });
    logger.info({ batch, events: total }, 'notices.mail_sent');
    if (refused > 0) logger.error({ batch, refused }, 'notices.recipients_refused');
    return await db.transaction((tx) => updateMailTurn(tx, turn, { isSent: true }));
  } catch (error) {
    if (error instanceof Stopped) {
      // given back: the next process sends the same mail at once
      const free = { dueAt: clock.now(), leaseToken: null };
      await db.transaction((tx) => updateMailTurn(tx, turn, free));
      return false;
    }
    const attempts = turn.attempts + 1;
    const dueAt = nextMailTry(attempts, clock.now());
    await db.transaction((tx) => updateMailTurn(tx, turn, { attempts, dueAt, leaseToken: null }));
    const reason = error instanceof Error ? error.message : String(error);
    logger.warn({ batch, events: total, attempts, nextTryAt: dueAt, reason }, 'notices.mail_failed');
    return false;
  }
}

/** Does the work in transactions of their own until one finds less than a slice. */
async function inSlices(db: Database, work: (tx: Tx) => Promise<number>): Promise<void> {
  for await (const round of yieldBetween()) {
    if (round === maxSlices || (await db.transaction(work)) < slice) return;
  }
}
