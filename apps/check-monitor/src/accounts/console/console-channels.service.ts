import { randomUUID } from 'node:crypto';
import type { ChannelDelivery, ChannelKindDescription } from '@certloop/contracts';
import { z } from 'zod';
import { unusedChannel } from '../../channels/channels.repository.js';
import { requireMembers, requireName, requireTargets } from '../../channels/create-channel.service.js';
import { type ChannelPath, requireChannel } from '../../channels/manage-channels.service.js';
import type { DbDeps } from '../../db-deps.js';
import { isoSeconds } from '../../instants.js';
import { parseChannelSettings } from '../../integrations/channel-kinds.js';
import { isAddressOf } from '../../integrations/consent.js';
import { type ChannelKind, channelKinds } from '../../integrations/kinds.js';
import { testEvent } from '../../integrations/messages/alert-event.js';
import { type ChannelMessage, listChannelMessages } from '../../notifications/delivery-lists.repository.js';
import type { Notifier } from '../../notifications/notifier.service.js';
import { getProject } from '../../projects/projects.repository.js';

export interface ConsoleChannelsDeps extends DbDeps {
  readonly notifier: Pick<Notifier, 'refusalOfTarget' | 'missing' | 'shouldNotify' | 'test'>;
}

/** Every kind of integration with its settings. */
export function listChannelKinds({
  notifier,
}: Pick<ConsoleChannelsDeps, 'notifier'>): ChannelKindDescription[] {
  return Object.entries(channelKinds).map(([kind, { label, settings, secrets }]) => {
    const missing = notifier.missing(kind as ChannelKind);
    const { $schema: _dialect, ...schema } = z.toJSONSchema(settings, {
      io: 'input',
      unrepresentable: 'any',
    });
    const paths = secrets.map(({ path }) => path);
    return { kind, label, schema, secrets: paths, ...(missing === undefined ? {} : { missing }) };
  });
}

/** An integration that is not saved. */
export interface TriedChannel {
  readonly projectId: string;
  readonly kind: ChannelKind;
  readonly name: string;
  readonly settings: unknown;
  /** Address of the account that tries it, which need not be asked. */
  readonly ownAddress: string;
}

/** Sends a test message by an integration that is not saved; nothing is stored. Throws InvalidInput. */
export async function tryChannel(
  { db, clock, notifier }: ConsoleChannelsDeps,
  { projectId, kind, name, settings: given, ownAddress }: TriedChannel,
): Promise<{ readonly ok: boolean; readonly error: string; readonly durationMs: number }> {
  requireName(name);
  const settings = parseChannelSettings(kind, given);
  await requireTargets({ notifier }, kind, settings);
  const projectName = await db.read(async (tx) => {
    await requireMembers(tx, projectId, kind, settings);
    return (await getProject(tx, projectId)).name;
  });
  const createdAt = clock.now();
  const verifiedAt = isAddressOf(kind, settings, ownAddress) ? createdAt : null;
  const names = { id: 0, uuid: randomUUID(), projectId, kind, name };
  const channel = { ...unusedChannel, ...names, settings, createdAt, verifiedAt };
  const status = notifier.shouldNotify(channel, 'down') ? 'down' : 'up';
  const event = testEvent(status, createdAt, { deliveryId: randomUUID(), uuid: randomUUID(), projectName });
  const began = performance.now();
  const result = await notifier.test(channel, event);
  const durationMs = Math.round(performance.now() - began);
  return { ok: result.ok, error: result.ok ? '' : result.error, durationMs };
}

/** Messages of an integration, newest first. Throws NotFound. */
export function listDeliveries(
  { db }: Pick<ConsoleChannelsDeps, 'db'>,
  path: ChannelPath,
  {
    before = Number.MAX_SAFE_INTEGER,
    limit = 50,
  }: { before?: number | undefined; limit?: number | undefined },
): Promise<ChannelDelivery[]> {
  return db.read(async (tx) => {
    const { id } = await requireChannel(tx, path);
    return (await listChannelMessages(tx, id, { before, limit })).map(describeMessage);
  });
}

function describeMessage(message: ChannelMessage): ChannelDelivery {
  const { id, createdAt, checkName, status, attempt, settledAt, error } = message;
  return {
    id,
    at: isoSeconds(createdAt),
    status,
    attempt,
    ...(checkName === null ? {} : { check: checkName }),
    ...(settledAt === null ? {} : { settledAt: isoSeconds(settledAt) }),
    ...(error === null ? {} : { error }),
  };
}
