import { randomUUID } from 'node:crypto';
import { type DeliveryResult, delivered, refusedForGood, undelivered } from '../delivery-result.js';
import type { Delivery, Integration } from '../integration.js';
import { signalMessage } from './signal-message.js';
import type { SignalSettings } from './signal-settings.js';
import { callBySocket, type RpcAnswer } from './signal-socket.client.js';

export interface SignalDeps {
  /** Socket of signal-cli: a path or `host:port`; undefined when there is none. */
  readonly socket: string | undefined;
  readonly timeoutMs: number;
  /** Called when Signal wants a person to prove that it is one; until then nothing is sent. */
  readonly onCaptcha: (token: string) => void;
}

const tries = 2;

/** A person on Signal, by way of signal-cli. */
export function createSignal(deps: SignalDeps): Integration<SignalSettings> {
  return {
    kind: 'signal',
    ...(deps.socket === undefined ? { missing: 'CHECK_MONITOR_SIGNAL_SOCKET' } : {}),
    tells: (settings, status) => settings[status],
    deliver: (delivery) => deliver(deps, deps.socket ?? '', delivery),
  };
}

async function deliver(
  deps: SignalDeps,
  address: string,
  { settings, view, isTest }: Delivery<SignalSettings>,
): Promise<DeliveryResult> {
  const call = { id: randomUUID(), method: 'send', params: signalMessage(view, settings) };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await callBySocket({ address, timeoutMs: deps.timeoutMs }, call);
      return judge(deps, answer);
    } catch (error) {
      const { message } = error as Error;
      if (isTest || attempt === tries) return undelivered(message);
    }
  }
}

/** signal-cli tells for each recipient why nothing was sent. */
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
    return undelivered('CAPTCHA proof required');
  }
  return undelivered(`signal-cli call failed (${error.code}): ${error.message.slice(0, 200)}`);
}

function failureOf(facts: unknown): SendFailure {
  const response = (facts as { response?: { results?: readonly SendFailure[] } } | null | undefined)
    ?.response;
  return response?.results?.[0] ?? {};
}
