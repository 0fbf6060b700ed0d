import { randomUUID } from 'node:crypto';
import type { CreateIntegration, IntegrationDeps } from '../../create-integration.channel.js';
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

type SignalDeps = Pick<IntegrationDeps, 'senderAccounts' | 'timeoutMs' | 'stop' | 'onCaptcha'>;

/** A person on Signal, by way of signal-cli. */
export const signalIntegration: CreateIntegration<SignalSettings> = ({ clock, ...deps }) => {
  const integration: Integration<SignalSettings> = {
    ...(deps.senderAccounts.signalSocket === undefined ? { missing: 'CHECK_MONITOR_SIGNAL_SOCKET' } : {}),
    shouldNotify: (settings, status) => settings[status],
    deliver: ({ settings, view }) => send(deps, signalMessage(view, settings)),
    notify: ({ settings, notice }) => send(deps, signalNotice(notice, settings)),
  };
  return limitRate(integration, ({ recipient }) => recipient, clock);
};

async function send(deps: SignalDeps, params: object): Promise<DeliveryResult> {
  const { senderAccounts, timeoutMs, stop } = deps;
  const { signalSocket: address = '' } = senderAccounts;
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
