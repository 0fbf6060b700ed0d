import { type DeliveryResult, refusedForGood, undelivered } from '../delivery-result.js';
import { type HttpAnswer, jsonAnswer, jsonPost } from '../http-message.js';
import type { SendHttp } from '../http-sender.client.js';
import type { Delivery, Integration } from '../integration.js';
import { telegramMessage } from './telegram-message.js';
import type { TelegramSettings } from './telegram-settings.js';

export interface TelegramDeps {
  readonly send: SendHttp;
  /** Address of the bot API. */
  readonly apiUrl: string;
  /** Token of this service's bot; undefined when it has none. */
  readonly token: string | undefined;
}

/** A chat that this service's bot is in. */
export function createTelegram(deps: TelegramDeps): Integration<TelegramSettings> {
  return {
    kind: 'telegram',
    ...(deps.token === undefined ? { missing: 'CHECK_MONITOR_TELEGRAM_TOKEN' } : {}),
    tells: () => true,
    deliver: (delivery) => deliver(deps, delivery),
  };
}

/** A group that became a supergroup has another number: the message goes there, and so will all later ones. */
async function deliver(deps: TelegramDeps, delivery: Delivery<TelegramSettings>): Promise<DeliveryResult> {
  const { settings } = delivery;
  const first = await attempt(deps, delivery, settings);
  if (first.movedTo === undefined) return first.result;
  const moved = { ...settings, chatId: first.movedTo };
  const { result } = await attempt(deps, delivery, moved);
  return result.ok ? { ok: true, settings: moved } : result;
}

interface Attempt {
  readonly result: DeliveryResult;
  readonly movedTo: number | undefined;
}

async function attempt(
  { send, apiUrl, token }: TelegramDeps,
  { view, isTest }: Delivery<TelegramSettings>,
  settings: TelegramSettings,
): Promise<Attempt> {
  let movedTo: number | undefined;
  const judge = (answer: HttpAnswer): DeliveryResult | undefined => {
    movedTo = migrationOf(answer);
    return movedTo === undefined ? judgeAnswer(answer) : refusedForGood('the group has become a supergroup');
  };
  const message = jsonPost(`${apiUrl}/bot${token}/sendMessage`, telegramMessage(view, settings));
  const result = await send(message, { isOnce: isTest, judge });
  return { result, movedTo };
}

function migrationOf(answer: HttpAnswer): number | undefined {
  const parameters = jsonAnswer(answer)['parameters'] as { migrate_to_chat_id?: unknown } | undefined;
  const moved = parameters?.migrate_to_chat_id;
  return typeof moved === 'number' ? moved : undefined;
}

/** 403 says that the bot was blocked, kicked out, or that the chat is no more. */
function judgeAnswer(answer: HttpAnswer): DeliveryResult | undefined {
  const { description } = jsonAnswer(answer);
  if (typeof description !== 'string') return undefined;
  const error = `Received status code ${answer.status} with a message: "${description.slice(0, 200)}"`;
  const isGone = answer.status === 403 || description === 'Bad Request: chat not found';
  return isGone ? refusedForGood(error) : undelivered(error);
}
