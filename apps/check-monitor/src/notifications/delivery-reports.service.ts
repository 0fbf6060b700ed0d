import { NotFound } from '@certloop/contracts';
import { lockChannel, updateChannel } from '../channels/channels.repository.js';
import type { DbDeps } from '../db-deps.js';
import { type Micros, microsPerSecond } from '../instants.js';
import { deliveryOf } from '../integrations/links/bounce-address.js';
import { acceptedSecrets, type Secrets } from '../projects/api-key.js';
import { isUuid } from '../storable-text.js';
import { bounceMailbox, parseDeliveryStatus, reportOfStatus } from './bounce.js';
import { queueNotices } from './channel-outcome.repository.js';
import { type DeliveryReport, reportOfCallback } from './delivery-report.js';
import { findDelivery, noteDeliveryError } from './delivery-reports.repository.js';

/** Envelope senders are signed by the secret. */
export interface DeliveryReportsDeps extends Secrets, DbDeps {}

// the To field of what comes back is in the first kB
const maxUnsignedBytes = 16_384;
const hour = 3600 * microsPerSecond;
const callbackWindow = hour;
const bounceWindow = 48 * hour;

/** Id of a delivery in the form in which it is stored. Throws NotFound for anything that is not a UUID. */
export function requireDeliveryId(given: string): string {
  const deliveryId = given.toLowerCase();
  if (!isUuid(deliveryId)) throw new NotFound('nothing exists at this path');
  return deliveryId;
}

/** Stores the report of a carrier about a message of the last hour. Ignores others, so that the carrier does not retry. */
export async function takeCallback(
  deps: DeliveryReportsDeps,
  deliveryId: string,
  fields: URLSearchParams,
): Promise<void> {
  const report = reportOfCallback(fields);
  if (report !== undefined) await storeReport(deps, deliveryId, report, callbackWindow);
}

/** Keeps what a mail that came back within 48 hours says; returns what happened to that, for people who look. */
export async function takeBounce(deps: DeliveryReportsDeps, source: Buffer): Promise<string> {
  const mailbox = bounceMailbox(source.subarray(0, maxUnsignedBytes));
  const [deliveryId] = acceptedSecrets(deps).flatMap((secret) => deliveryOf(secret, mailbox) ?? []);
  if (deliveryId === undefined) return 'OK (bad signature)';
  const report = reportOfStatus(parseDeliveryStatus(source));
  if (report === undefined) return 'OK (ignored)';
  const isStored = await storeReport(deps, deliveryId, report, bounceWindow);
  return isStored ? 'OK' : 'OK (notification not found)';
}

async function storeReport(
  { db, clock }: DeliveryReportsDeps,
  deliveryId: string,
  { error, isPermanent }: DeliveryReport,
  window: Micros,
): Promise<boolean> {
  const at = clock.now();
  return db.transaction(async (tx) => {
    const found = await findDelivery(tx, deliveryId, at - window);
    if (found === undefined) return false;
    await noteDeliveryError(tx, found.id, error);
    const channel = await lockChannel(tx, found.channelId);
    if (channel === undefined) return false;
    const isSwitchedOff = isPermanent && channel.disabledAt === null;
    const changes = { lastError: error, ...(isPermanent ? { disabledAt: at } : {}) };
    await updateChannel(tx, channel.id, changes);
    // what happens to a notice causes no further one
    if (isSwitchedOff && found.aboutChannelId === null)
      await queueNotices(tx, { ...channel, ...changes }, at);
    return true;
  });
}
