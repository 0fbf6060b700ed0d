import { isoOrNull, isoSeconds, type Micros } from '../instants.js';
import { findKind, labelOf, withoutSecrets } from '../integrations/channel-kinds.js';
import { isWithoutConsent } from '../integrations/consent.js';

/** Parts of a channel that are shown to people who may edit it. */
export interface ViewedChannel {
  readonly uuid: string;
  readonly kind: string;
  readonly name: string;
  readonly settings: object;
  readonly verifiedAt: Micros | null;
  readonly disabledAt: Micros | null;
  readonly lastError: string | null;
  readonly failingSince: Micros | null;
  readonly heldUntil: Micros | null;
  readonly lastNotifiedAt: Micros | null;
  readonly lastDeliveredAt: Micros | null;
  readonly lastDurationMs: number | null;
}

/** Channel with its settings, secrets excepted, and how it is doing at `now`. */
export function describeChannel(channel: ViewedChannel, now: Micros) {
  const { uuid, kind, name, settings, disabledAt, lastError, lastNotifiedAt, lastDeliveredAt } = channel;
  const known = findKind(kind);
  return {
    id: uuid,
    kind,
    label: labelOf(kind),
    name,
    settings: known === undefined ? {} : withoutSecrets(known, settings),
    verified: !isWithoutConsent(channel),
    disabled: disabledAt !== null,
    last_error: lastError ?? '',
    failing_since: isoOrNull(channel.failingSince),
    held_until: isHeld(channel, now) ? isoSeconds(channel.heldUntil) : null,
    last_notify: isoOrNull(lastNotifiedAt),
    last_duration_ms: channel.lastDurationMs,
    last_delivered_at: isoOrNull(lastDeliveredAt),
  };
}

/** Whether messages to a channel that is on wait, as its target takes no more or does not answer. */
function isHeld<Held extends Pick<ViewedChannel, 'heldUntil' | 'disabledAt'>>(
  channel: Held,
  now: Micros,
): channel is Held & { readonly heldUntil: Micros } {
  return channel.disabledAt === null && channel.heldUntil !== null && channel.heldUntil > now;
}

/** Channel in the list of the management API: what its document names, as on the wire of Healthchecks. */
export function listedChannel({ uuid, name, kind }: Pick<ViewedChannel, 'uuid' | 'name' | 'kind'>) {
  return { id: uuid, name, kind };
}

/** The same, with what is wrong at `now`. `obstacle` is why it cannot send. */
export function listedWithState(channel: Omit<ViewedChannel, 'settings'>, now: Micros, obstacle?: string) {
  const { failingSince, disabledAt, lastDeliveredAt } = channel;
  return {
    ...listedChannel(channel),
    ...(failingSince === null ? {} : { failing_since: isoSeconds(failingSince) }),
    ...(isHeld(channel, now) ? { held_until: isoSeconds(channel.heldUntil) } : {}),
    ...(disabledAt === null ? {} : { disabled_at: isoSeconds(disabledAt) }),
    ...(obstacle === undefined ? {} : { cannot_send: obstacle }),
    ...(lastDeliveredAt === null ? {} : { last_delivered_at: isoSeconds(lastDeliveredAt) }),
  };
}
