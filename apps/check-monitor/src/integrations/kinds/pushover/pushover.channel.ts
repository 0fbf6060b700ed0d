import type { CreateIntegration } from '../../create-integration.channel.js';
import { type DeliveryResult, refusedForGood } from '../../delivery/delivery-result.js';
import { formPost, type HttpAnswer, jsonAnswer } from '../../delivery/http-message.js';
import { limitRate } from '../../delivery/rate-limit.js';
import type { Integration } from '../../integration.js';
import { priorityOf } from '../../settings-rules.js';
import { emergencyPriority, type PushoverSettings, silentPriority } from './pushover-kind.js';
import { pushoverMessage, pushoverNotice } from './pushover-message.js';

/** A user or a group of Pushover. */
export const poIntegration: CreateIntegration<PushoverSettings> = ({
  sendToService: send,
  services: { pushover: apiUrl },
  senderAccounts: { pushoverToken },
  clock,
}) => {
  const token = pushoverToken ?? '';
  const post = (fields: Record<string, string>) =>
    send(formPost(`${apiUrl}/1/messages.json`, fields), { judge: judgeAnswer });
  const integration: Integration<PushoverSettings> = {
    ...(pushoverToken === undefined ? { missing: 'CHECK_MONITOR_PUSHOVER_TOKEN' } : {}),
    shouldNotify: (settings, status) => priorityOf(settings, status) !== silentPriority,
    deliver: async ({ settings, event, view }) => {
      if (event.status === 'up' && settings.priorityDown === emergencyPriority) {
        // an alarm that goes on although all is well is a nuisance, but no reason to keep the good news back
        const cancel = `${apiUrl}/1/receipts/cancel_by_tag/${event.check.uniqueKey}.json`;
        await send(formPost(cancel, { token }));
      }
      const priority = priorityOf(settings, event.status);
      return post(pushoverMessage(event, view, { token, userKey: settings.userKey, priority }));
    },
    notify: ({ settings: { userKey }, notice }) => post(pushoverNotice(notice, { token, userKey })),
  };
  return limitRate(integration, ({ userKey }) => userKey, clock);
};

/** Says of the user key that it is invalid when the user is no more. */
function judgeAnswer(answer: HttpAnswer): DeliveryResult | undefined {
  const isGone = answer.status === 400 && jsonAnswer(answer)['user'] === 'invalid';
  return isGone ? refusedForGood('Received status code 400 (invalid user)') : undefined;
}
