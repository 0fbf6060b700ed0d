import { randomUUID } from 'node:crypto';
import { type Tx, yieldBetween } from '@certloop/db';
import type { Logger } from '@certloop/server';
import type { DbDeps } from '../db-deps.js';
import { cloudEventOf, type NewEvent, type OutgoingEvent } from './event.js';
import { listEvents } from './events.repository.js';
import { boundedRetry, isReceiverLost, nextWebhookTry, webhookPauseUntil } from './notice-waits.js';
import { type ClaimedNotice, claimWebhooks, deleteNotices, putOffNotice } from './notices.repository.js';
import type { WebhookClient } from './webhook.client.js';
import {
  disableReceiver,
  findReceiver,
  noteRefused,
  noteTaken,
  pauseReceiver,
  type WebhookReceiverRow,
} from './webhook-receivers.repository.js';
import { type Refusal, stoppedByService } from './webhook-refusal.js';

export interface WebhookDeps extends DbDeps {
  readonly logger: Logger;
  readonly client: WebhookClient;
  /** Address of this service. */
  readonly source: string;
  /** Records an event in the transaction of what happened. */
  readonly record: (tx: Tx, event: NewEvent) => Promise<void>;
}

// under way at once
const batch = 16;
const batchesPerRun = 60;
// longer than one call may take
const leaseMs = 60_000;

/**
 * Sends webhooks that are due, each event at least once, those of one subject in order; false when something due is
 * left. While the receiver takes nothing or asks to be left alone, all processes pause; after five days without success
 * the webhook is switched off, and what waits is stored until it is on again.
 */
export async function sendWebhooks(deps: WebhookDeps): Promise<boolean> {
  const { db, clock } = deps;
  for await (const round of yieldBetween()) {
    if (round === batchesPerRun) break;
    const now = clock.now();
    const claim = { now, token: randomUUID(), until: new Date(now.getTime() + leaseMs), limit: batch };
    const rows = await db.transaction(async (tx) =>
      canSend(await findReceiver(tx), now) ? claimWebhooks(tx, claim) : [],
    );
    if (rows.length === 0) return true;
    const refusals = await sendBatch(deps, rows);
    await settle(deps, claim.token, rows, refusals);
    if (refusals.includes(stoppedByService)) return true;
  }
  return false;
}

function canSend(receiver: WebhookReceiverRow | undefined, now: Date): boolean {
  if (receiver === undefined) return true;
  const { pausedUntil, disabledAt } = receiver;
  return disabledAt === null && (pausedUntil === null || pausedUntil <= now);
}

/** Why each of them was not taken; undefined for those that were. */
async function sendBatch(
  { db, clock, client, source }: WebhookDeps,
  rows: readonly ClaimedNotice[],
): Promise<(Refusal | undefined)[]> {
  const found = await db.read((tx) => listEvents(tx, rows));
  const byId = new Map<string, OutgoingEvent>(found.map((event) => [event.id, event]));
  return Promise.all(
    rows.map(async ({ eventId }) => {
      const event = byId.get(eventId);
      // deleted as too old in this moment
      if (event === undefined) return undefined;
      return client.send({ id: event.id, body: cloudEventOf(event, source), sentAt: clock.now() });
    }),
  );
}

async function settle(
  deps: WebhookDeps,
  token: string,
  rows: readonly ClaimedNotice[],
  refusals: readonly (Refusal | undefined)[],
): Promise<void> {
  const { db, clock, logger } = deps;
  const now = clock.now();
  const ended: string[] = [];
  const postponed: { readonly row: ClaimedNotice; readonly attempts: number; readonly dueAt: Date }[] = [];
  rows.forEach((row, index) => {
    const refusal = refusals[index];
    // given back, so that the next process sends it at once; it counts as no try
    if (refusal === stoppedByService) {
      postponed.push({ row, attempts: row.attempts, dueAt: now });
      return;
    }
    const attempts = row.attempts + 1;
    const dueAt = nextWebhookTry(attempts, now, refusal?.retryAt);
    if (refusal !== undefined && dueAt !== undefined) {
      postponed.push({ row, attempts, dueAt });
      return;
    }
    ended.push(row.id);
    const facts = { eventId: row.eventId, type: row.type, subject: row.subject, attempts };
    if (refusal === undefined) logger.info(facts, 'notices.webhook_sent');
    else logger.error({ ...facts, reason: refusal.reason }, 'notices.given_up');
  });
  await db.transaction(async (tx) => {
    await deleteNotices(tx, ended, token);
    for (const { row, attempts, dueAt } of postponed) await putOffNotice(tx, row, { attempts, dueAt });
    await settleReceiver(tx, deps, refusals);
  });
}

/** Notes how the receiver took a batch: it is paused or, after five days without success, switched off. */
async function settleReceiver(
  tx: Tx,
  { clock, logger, record }: WebhookDeps,
  refusals: readonly (Refusal | undefined)[],
): Promise<void> {
  if (refusals.includes(stoppedByService)) return;
  const now = clock.now();
  const asked = refusals.map((refusal) =>
    boundedRetry(refusal?.isOverload ? refusal.retryAt : undefined, now),
  );
  if (refusals.includes(undefined)) {
    await noteTaken(tx);
    const until = latestOf(asked);
    if (until !== undefined) await pauseReceiver(tx, until);
    return;
  }
  const { failures, failingSince } = await noteRefused(tx, now);
  const pausedUntil = latestOf([...asked, webhookPauseUntil(failures, now)]) ?? now;
  const reason = refusals[0]?.reason ?? '';
  await pauseReceiver(tx, pausedUntil);
  logger.warn({ reason, pausedUntil }, 'notices.webhook_failed');
  if (!isReceiverLost(failingSince, now) || !(await disableReceiver(tx, now))) return;
  logger.error({ reason, failingSince }, 'notices.webhook_disabled');
  const since = failingSince?.toISOString() ?? '';
  const message = `The webhook is switched off, as its receiver has taken no event since ${since} (${reason}). Correct the receiver or NOTICE_WEBHOOK_URL, then restart cert-manager: it sends the events of the last 30 days that wait.`;
  await record(tx, { type: 'webhook.disabled', subject: 'webhook', data: { message, reason, since } });
}

function latestOf(moments: readonly (Date | undefined)[]): Date | undefined {
  const times = moments.flatMap((moment) => (moment === undefined ? [] : [moment.getTime()]));
  return times.length === 0 ? undefined : new Date(Math.max(...times));
}
