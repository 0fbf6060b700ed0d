import { randomUUID } from 'node:crypto';
import type { Database } from '@certloop/db';
import type { Clock, Logger } from '@certloop/server';
import { cloudEventOf } from './cloud-event.js';
import type { OutgoingEvent } from './event.js';
import { nextWebhookTry, webhookPauseUntil } from './notice-waits.js';
import {
  type ClaimedNotice,
  claimWebhooks,
  deleteNotices,
  listEvents,
  putOffNotice,
} from './notices.repository.js';
import { stopped, type WebhookClient } from './webhook.client.js';

export interface WebhookDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly client: WebhookClient;
  /** Address of this service. */
  readonly source: string;
}

// under way at once
const batch = 16;
const batchesPerRun = 60;
// longer than one call may take
const leaseMs = 60_000;

/**
 * A run sends webhooks that are due, each event at least once, those of one subject in order; false when something due
 * is left. While none of a batch is taken, this process pauses, so that a receiver that is away is not asked for each
 * of many events.
 */
export function createWebhookRun(deps: WebhookDeps): () => Promise<boolean> {
  let failures = 0;
  let pausedUntil: Date | undefined;
  return async () => {
    const { db, clock, logger } = deps;
    for (let count = 0; count < batchesPerRun; count += 1) {
      const now = clock.now();
      if (pausedUntil !== undefined && now < pausedUntil) return true;
      const claim = { now, token: randomUUID(), until: new Date(now.getTime() + leaseMs), limit: batch };
      const rows = await db.transaction((tx) => claimWebhooks(tx, claim));
      if (rows.length === 0) return true;
      const reasons = await sendBatch(deps, rows);
      await settle(deps, claim.token, rows, reasons);
      if (reasons.includes(stopped)) return true;
      const first = reasons.find((reason) => reason !== undefined);
      if (reasons.some((reason) => reason === undefined)) {
        failures = 0;
      } else {
        failures += 1;
        pausedUntil = webhookPauseUntil(failures, clock.now());
        logger.warn({ reason: first, pausedUntil }, 'notices.webhook_failed');
      }
    }
    return false;
  };
}

/** Why each of them was not taken; undefined for those that were. */
async function sendBatch(
  { db, clock, client, source }: WebhookDeps,
  rows: readonly ClaimedNotice[],
): Promise<(string | undefined)[]> {
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
  { db, clock, logger }: WebhookDeps,
  token: string,
  rows: readonly ClaimedNotice[],
  reasons: readonly (string | undefined)[],
): Promise<void> {
  const now = clock.now();
  const ended: string[] = [];
  const postponed: { readonly row: ClaimedNotice; readonly attempts: number; readonly dueAt: Date }[] = [];
  rows.forEach((row, index) => {
    const reason = reasons[index];
    // its lease lapses, and another process sends it
    if (reason === stopped) return;
    const attempts = row.attempts + 1;
    const dueAt = nextWebhookTry(attempts, now);
    if (reason !== undefined && dueAt !== undefined) {
      postponed.push({ row, attempts, dueAt });
      return;
    }
    ended.push(row.id);
    const facts = { eventId: row.eventId, type: row.type, subject: row.subject, attempts };
    if (reason === undefined) logger.info(facts, 'notices.webhook_sent');
    else logger.error({ ...facts, reason }, 'notices.given_up');
  });
  await db.transaction(async (tx) => {
    await deleteNotices(tx, ended, token);
    for (const { row, attempts, dueAt } of postponed) await putOffNotice(tx, row, { attempts, dueAt });
  });
}
