import type { CreateIntegration } from '../../create-integration.channel.js';
import { type DeliveryResult, refusedForGood } from '../../delivery/delivery-result.js';
import { formPost, type HttpAnswer, jsonAnswer } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import { limitRate } from '../../delivery/rate-limit.js';
import type { Delivery, Integration } from '../../integration.js';
import type { AlertStatus } from '../../messages/alert-event.js';
import { emergencyPriority, type PushoverSettings, silentPriority } from './pushover-kind.js';
import { pushoverMessage, pushoverNotice } from './pushover-message.js';

export interface PushoverDeps {
  readonly send: SendHttp;
  /** Address of the API. */
  readonly apiUrl: string;
  /** Token of this service's application; undefined when it has none. */
  readonly token: string | undefined;
}

/** A user or a group of Pushover. */
export function createPushover(deps: PushoverDeps): Integration<PushoverSettings> {
  return {
    ...(deps.token === undefined ? { missing: 'CHECK_MONITOR_PUSHOVER_TOKEN' } : {}),
    shouldNotify: (settings, status) => priorityOf(settings, status) !== silentPriority,
    deliver: (delivery) => deliver(deps, deps.token ?? '', delivery),
    notify: ({ settings, notice }) => {
      const fields = pushoverNotice(notice, { token: deps.token ?? '', userKey: settings.userKey });
      return deps.send(formPost(`${deps.apiUrl}/1/messages.json`, fields), { judge: judgeAnswer });
    },
  };
}

async function deliver(
  { send, apiUrl }: PushoverDeps,
  token: string,
  { settings, event, view }: Delivery<PushoverSettings>,
): Promise<DeliveryResult> {
  if (event.status === 'up' && settings.priorityDown === emergencyPriority) {
    // an alarm that goes on although all is well is a nuisance, but no reason to keep the good news back
    const cancel = `${apiUrl}/1/receipts/cancel_by_tag/${event.check.uniqueKey}.json`;
    await send(formPost(cancel, { token }));
  }
  const priority = priorityOf(settings, event.status);
  const fields = pushoverMessage(event, view, { token, userKey: settings.userKey, priority });
  return send(formPost(`${apiUrl}/1/messages.json`, fields), { judge: judgeAnswer });
}

function priorityOf({ priorityDown, priorityUp }: PushoverSettings, status: AlertStatus): number {
  return status === 'up' ? priorityUp : priorityDown;
}

/** Says of the user key that it is invalid when the user is no more. */
function judgeAnswer(answer: HttpAnswer): DeliveryResult | undefined {
  const isGone = answer.status === 400 && jsonAnswer(answer)['user'] === 'invalid';
  return isGone ? refusedForGood('Received status code 400 (invalid user)') : undefined;
}

export const poIntegration: CreateIntegration<PushoverSettings> = ({
  sendToService: send,
  services,
  senderAccounts,
  clock,
}) =>
  limitRate(
    createPushover({ send, apiUrl: services.pushover, token: senderAccounts.pushoverToken }),
    ({ userKey }) => userKey,
    clock,
  );
