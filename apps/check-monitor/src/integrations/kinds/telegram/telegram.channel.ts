import type { Clock } from '../../../instants.js';
import type { CreateIntegration } from '../../create-integration.channel.js';
import { type DeliveryResult, refusedForGood, tooMany, undelivered } from '../../delivery/delivery-result.js';
import { type HttpAnswer, jsonAnswer, jsonPost } from '../../delivery/http-message.js';
import type { SendHttp } from '../../delivery/http-sender.client.js';
import { createMessageThrottle, type MessageThrottle } from '../../delivery/message-throttle.js';
import type { Integration } from '../../integration.js';
import type { TelegramSettings } from './telegram-kind.js';
import { telegramMessage, telegramNotice } from './telegram-message.js';

export interface TelegramDeps {
  readonly send: SendHttp;
  /** Address of the bot API. */
  readonly apiUrl: string;
  /** Token of this service's bot; undefined when it has none. */
  readonly token: string | undefined;
  readonly clock: Clock;
}

/** A chat that this service's bot is in. */
export function createTelegram(deps: TelegramDeps): Integration<TelegramSettings> {
  const throttle = createMessageThrottle();
  return {
    ...(deps.token === undefined ? { missing: 'CHECK_MONITOR_TELEGRAM_TOKEN' } : {}),
    shouldNotify: () => true,
    deliver: ({ settings, view }) => {
      const textOf = (target: TelegramSettings) => telegramMessage(view, target);
      return deliverInTurn(deps, throttle, { settings, textOf });
    },
    notify: ({ settings, notice }) => {
      const textOf = (target: TelegramSettings) => telegramNotice(notice, target);
      return deliverInTurn(deps, throttle, { settings, textOf });
    },
  };
}

interface Text {
  readonly settings: TelegramSettings;
  /** Parameters of the call for the chat as it is, or as it has moved. */
  readonly textOf: (target: TelegramSettings) => object;
}

async function deliverInTurn(
  deps: TelegramDeps,
  throttle: MessageThrottle,
  delivery: Text,
): Promise<DeliveryResult> {
  const wait = throttle.take(String(delivery.settings.chatId), deps.clock.now());
  return wait === 0 ? deliver(deps, delivery) : tooMany('Rate limit exceeded', Math.ceil(wait / 1000));
}

/** A group that became a supergroup has another number: the message goes there, and so will all later ones. */
async function deliver(deps: TelegramDeps, delivery: Text): Promise<DeliveryResult> {
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
  { textOf }: Text,
  settings: TelegramSettings,
): Promise<Attempt> {
  let movedTo: number | undefined;
  const judge = (answer: HttpAnswer): DeliveryResult | undefined => {
    movedTo = migrationOf(answer);
    return movedTo === undefined ? judgeAnswer(answer) : refusedForGood('the group has become a supergroup');
  };
  const message = jsonPost(`${apiUrl}/bot${token}/sendMessage`, textOf(settings));
  const result = await send(message, { judge });
  return { result, movedTo };
}

function migrationOf(answer: HttpAnswer): number | undefined {
  return parameterOf(answer, 'migrate_to_chat_id');
}

/** Returns a parameter that the bot API adds to a refusal, so that the sender can follow it. */
function parameterOf(answer: HttpAnswer, name: string): number | undefined {
  const parameters = jsonAnswer(answer)['parameters'] as Readonly<Record<string, unknown>> | null | undefined;
  const value = parameters?.[name];
  return typeof value === 'number' ? value : undefined;
}

/** Descriptions by which the bot API says that the chat is gone permanently; other refusals may end. */
const finalRefusals: ReadonlySet<string> = new Set([
  'Forbidden: the group chat was deleted',
  'Forbidden: bot was blocked by the user',
  'Forbidden: user is deactivated',
  'Forbidden: bot was kicked from the group chat',
  'Forbidden: bot was kicked from the supergroup chat',
  'Bad Request: chat not found',
]);

/** 429 says for how many seconds the chat takes nothing more. */
function judgeAnswer(answer: HttpAnswer): DeliveryResult | undefined {
  const { description } = jsonAnswer(answer);
  if (typeof description !== 'string') return undefined;
  const error = `Received status code ${answer.status} with a message: "${description.slice(0, 200)}"`;
  const waitSeconds = answer.status === 429 ? parameterOf(answer, 'retry_after') : undefined;
  if (waitSeconds !== undefined) return tooMany(error, waitSeconds * 1000);
  return finalRefusals.has(description) ? refusedForGood(error) : undelivered(error);
}

export const telegramIntegration: CreateIntegration<TelegramSettings> = ({
  sendToService: send,
  services,
  senderAccounts,
  clock,
}) => createTelegram({ send, apiUrl: services.telegram, token: senderAccounts.telegramToken, clock });
