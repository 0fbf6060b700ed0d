import { randomUUID } from 'node:crypto';
import type { CreateIntegration } from '../../create-integration.channel.js';
import {
  type DeliveryResult,
  delivered,
  failedTemporarily,
  refusedForGood,
  stoppedDelivery,
  undelivered,
} from '../../delivery/delivery-result.js';
import { limitRate } from '../../delivery/rate-limit.js';
import type { Integration } from '../../integration.js';
import type { SignalSettings } from './signal-kind.js';
import { signalMessage, signalNotice } from './signal-message.js';
import { callBySocket, type RpcAnswer, SocketTimeout } from './signal-socket.client.js';

export interface SignalDeps {
  /** Socket of signal-cli: a path or `host:port`; undefined if there is none. */
  readonly socket: string | undefined;
  readonly timeoutMs: number;
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
  /** Called when Signal wants a person to prove that it is one; until then nothing is sent. */
  readonly onCaptcha: (token: string) => void;
}

/** A person on Signal, by way of signal-cli. */
export function createSignal(deps: SignalDeps): Integration<SignalSettings> {
  return {
    ...(deps.socket === undefined ? { missing: 'CHECK_MONITOR_SIGNAL_SOCKET' } : {}),
    shouldNotify: (settings, status) => settings[status],
    deliver: ({ settings, view }) => send(deps, signalMessage(view, settings)),
    notify: ({ settings, notice }) => send(deps, signalNotice(notice, settings)),
  };
}

async function send(deps: SignalDeps, params: object): Promise<DeliveryResult> {
  const { socket: address = '', timeoutMs, stop } = deps;
  try {
    const call = { id: randomUUID(), method: 'send', params };
    return judge(deps, await callBySocket({ address, timeoutMs, stop }, call));
  } catch (error) {
    if (stop.aborted) return stoppedDelivery;
    const { message } = error as Error;
    return failedTemporarily(message, error instanceof SocketTimeout ? 'timed-out' : 'failed');
  }
}

/** signal-cli names for each recipient why nothing was sent. */
interface SendFailure {
  readonly type?: string;
  readonly token?: string;
}

function judge({ onCaptcha }: SignalDeps, { error }: RpcAnswer): DeliveryResult {
  if (error === undefined) return delivered;
  const { type, token } = failureOf(error.data);
  if (type === 'UNREGISTERED_FAILURE') return refusedForGood('Recipient not found');
  if (type === 'RATE_LIMIT_FAILURE' && token !== undefined) {
    onCaptcha(token);
    return failedTemporarily('CAPTCHA proof required', 'limited');
  }
  const said = `signal-cli call failed (${error.code}): ${error.message.slice(0, 200)}`;
  return misunderstood.has(error.code) ? undelivered(said) : failedTemporarily(said);
}

/** JSON-RPC 2.0 §5.1: the call itself is at fault, and will be next time. */
const misunderstood: ReadonlySet<number> = new Set([-32_700, -32_600, -32_601, -32_602]);

function failureOf(facts: unknown): SendFailure {
  const response = (facts as { response?: { results?: readonly SendFailure[] } } | null | undefined)
    ?.response;
  return response?.results?.[0] ?? {};
}

export const signalIntegration: CreateIntegration<SignalSettings> = ({
  senderAccounts,
  timeoutMs,
  onCaptcha,
  clock,
  stop,
}) =>
  limitRate(
    createSignal({ socket: senderAccounts.signalSocket, timeoutMs, onCaptcha, stop }),
    ({ recipient }) => recipient,
    clock,
  );
