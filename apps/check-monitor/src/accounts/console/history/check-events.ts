import type { CheckEvent, PingType } from '@certloop/contracts';
import type { AlertFlip } from '../../../alerts/alert.js';
import { isoMicros, type Micros } from '../../../instants.js';
import { labelOf } from '../../../integrations/channel-kinds.js';
import { roundedSeconds } from '../../../pings/durations.js';

const previewLength = 200;

/** Parts of a stored ping that are shown. */
interface ShownPing {
  readonly at: Micros;
  readonly n: number;
  readonly signal: PingType;
  readonly exitStatus: number | null;
  readonly method: string;
  readonly remoteAddr: string | null;
  readonly userAgent: string;
  /** Its first bytes. */
  readonly body: Uint8Array | null;
}

/** A message about the check, with the integration that it goes to. */
interface ShownMessage {
  readonly createdAt: Micros;
  readonly settledAt: Micros | null;
  readonly channelUuid: string;
  readonly channelName: string;
  readonly channelKind: string;
  readonly status: string;
  readonly error: string | null;
}

/** A ping as an event; `duration` in microseconds. */
export function pingEvent(ping: ShownPing, duration: number | undefined): CheckEvent {
  const { at, n, signal, exitStatus, method, remoteAddr, userAgent, body } = ping;
  return {
    kind: 'ping',
    at: isoMicros(at),
    n,
    type: signal,
    method,
    ...(duration === undefined ? {} : { duration: roundedSeconds(duration) }),
    ...(exitStatus === null ? {} : { exitStatus }),
    ...(remoteAddr === null ? {} : { remoteAddr }),
    ...(userAgent === '' ? {} : { ua: userAgent }),
    ...(body === null || body.length === 0 ? {} : { preview: previewOf(body) }),
  };
}

/** The first characters of a body, without the piece of one at the end. */
function previewOf(body: Uint8Array): string {
  const text = new TextDecoder().decode(body);
  return [...text].slice(0, previewLength).join('');
}

export function flipEvent({ at, oldStatus, newStatus, reason }: AlertFlip): CheckEvent {
  return { kind: 'flip', at: isoMicros(at), from: oldStatus, to: newStatus, reason };
}

export function deliveryEvent(message: ShownMessage): CheckEvent {
  const { createdAt, settledAt, channelUuid, channelName, channelKind, status, error } = message;
  const settled = error === null ? 'delivered' : 'failed';
  return {
    kind: 'delivery',
    at: isoMicros(createdAt),
    channelId: channelUuid,
    channel: channelName === '' ? labelOf(channelKind) : channelName,
    to: status,
    outcome: settledAt === null ? 'waiting' : settled,
    ...(error === null ? {} : { error }),
  };
}
