import { column, defineTable, executeSql, type RowOf, type Tx } from '@certloop/db';

export const webhookReceivers = defineTable('webhook_receivers', {
  columns: {
    id: column.word(8).primary(),
    /** Batches in a row that failed completely. */
    failures: column.integer(),
    /** When it first refused an event after it had last taken one; null while it takes them. */
    failingSince: column.instant().nullable(),
    /** No process sends before this moment. */
    pausedUntil: column.instant().nullable(),
    /** When the webhook was switched off; null while it is on. */
    disabledAt: column.instant().nullable(),
  },
});

/** How the receiver of webhooks answers, for all processes. There is one row, from its first failure on. */
export type WebhookReceiverRow = RowOf<typeof webhookReceivers>;

const id = 'webhook';

/** Undefined while the receiver has never failed. */
export async function findReceiver(tx: Tx): Promise<WebhookReceiverRow | undefined> {
  return (await tx.findOneBy(webhookReceivers, { id })) ?? undefined;
}

/** Notes that the receiver took an event. */
export async function noteTaken(tx: Tx): Promise<void> {
  await executeSql(
    tx,
    `update webhook_receivers set failures = 0, failing_since = null where id = $1 and failing_since is not null`,
    [id],
  );
}

/** Notes that the receiver took none of a batch, and returns its state now. */
export async function noteRefused(tx: Tx, now: Date): Promise<WebhookReceiverRow> {
  await executeSql(
    tx,
    `insert into webhook_receivers (id, failures, failing_since) values ($1, 1, $2) on conflict (id)
     do update set failures = webhook_receivers.failures + 1,
       failing_since = coalesce(webhook_receivers.failing_since, $2)`,
    [id, now],
  );
  const row = await findReceiver(tx);
  if (row === undefined) throw new Error('the row of the webhook receiver is missing');
  return row;
}

/** Lets no process send before the moment. */
export async function pauseReceiver(tx: Tx, until: Date): Promise<void> {
  await executeSql(
    tx,
    `insert into webhook_receivers (id, failures, paused_until) values ($1, 0, $2)
     on conflict (id) do update set paused_until = $2`,
    [id, until],
  );
}

/** Switches the webhook off; false when it was off already. */
export async function disableReceiver(tx: Tx, now: Date): Promise<boolean> {
  const text = 'update webhook_receivers set disabled_at = $2 where id = $1 and disabled_at is null';
  return (await executeSql(tx, text, [id, now])) === 1;
}

/** Switches a webhook that is off on again, as if it had never failed; false when it was on. */
export async function enableReceiver(tx: Tx): Promise<boolean> {
  const text = `update webhook_receivers
    set disabled_at = null, failing_since = null, paused_until = null, failures = 0
    where id = $1 and disabled_at is not null`;
  return (await executeSql(tx, text, [id])) === 1;
}
