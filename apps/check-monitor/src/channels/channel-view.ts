import { isoSeconds, type Micros } from '../instants.js';
import { type ChannelKind, channelKinds, findKind, withoutSecrets } from './channel-kinds.js';

/** What of a channel is shown to people who may edit it. */
export interface ViewedChannel {
  readonly uuid: string;
  readonly kind: string;
  readonly name: string;
  readonly settings: object;
  readonly verifiedAt: Micros | null;
  readonly disabledAt: Micros | null;
  readonly lastError: string | null;
  readonly failingSince: Micros | null;
  readonly lastNotifiedAt: Micros | null;
  readonly lastDurationMs: number | null;
}

/** Channel with its settings, secrets excepted, and how it is doing. */
export function describeChannel(channel: ViewedChannel) {
  const { uuid, kind, name, settings, verifiedAt, disabledAt, lastError, lastNotifiedAt } = channel;
  const known = findKind(kind);
  return {
    id: uuid,
    kind,
    label: known === undefined ? kind : channelKinds[known].label,
    name,
    settings: known === undefined ? {} : withoutSecrets(known, settings),
    verified: !needsConsent(known) || verifiedAt !== null,
    disabled: disabledAt !== null,
    last_error: lastError ?? '',
    failing_since: channel.failingSince === null ? null : isoSeconds(channel.failingSince),
    last_notify: lastNotifiedAt === null ? null : isoSeconds(lastNotifiedAt),
    last_duration_ms: channel.lastDurationMs,
  };
}

/** Whether the holder of the address must agree before anything is sent there. */
export function needsConsent(kind: ChannelKind | undefined): boolean {
  return kind === 'email';
}

/** Channel in the list of the management API: what its document names, and beyond that only what is wrong. */
export function listedChannel(channel: Omit<ViewedChannel, 'settings'>) {
  const { uuid, name, kind, failingSince, disabledAt } = channel;
  return {
    ...{ id: uuid, name, kind },
    ...(failingSince === null ? {} : { failing_since: isoSeconds(failingSince) }),
    ...(disabledAt === null ? {} : { disabled_at: isoSeconds(disabledAt) }),
  };
}
