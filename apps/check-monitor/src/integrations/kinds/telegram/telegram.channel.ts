import type { CreateIntegration, IntegrationDeps } from '../../create-integration.channel.js';
import { type DeliveryResult, refusedForGood, tooMany, undelivered } from '../../delivery/delivery-result.js';
import { type HttpAnswer, jsonAnswer, jsonPost } from '../../delivery/http-message.js';
import { limitRate } from '../../delivery/rate-limit.js';
import type { Integration } from '../../integration.js';
import type { TelegramSettings } from './telegram-kind.js';
import { telegramMessage, telegramNotice } from './telegram-message.js';

type TelegramDeps = Pick<IntegrationDeps, 'sendToService' | 'services' | 'senderAccounts'>;

/** Parameters of the call for the chat as it is, or as it has moved. */
type TextOf = (target: TelegramSettings) => object;

/** A chat that this service's bot is in. */
export const telegramIntegration: CreateIntegration<TelegramSettings> = ({ clock, ...deps }) => {
  const { telegramToken } = deps.senderAccounts;
  const integration: Integration<TelegramSettings> = {
    ...(telegramToken === undefined ? { missing: 'CHECK_MONITOR_TELEGRAM_TOKEN' } : {}),
    shouldNotify: () => true,
    deliver: ({ settings, view }) => deliver(deps, settings, (target) => telegramMessage(view, target)),
    notify: ({ settings, notice }) => deliver(deps, settings, (target) => telegramNotice(notice, target)),
  };
  return limitRate(integration, ({ chatId }) => String(chatId), clock);
};

/** A group that became a supergroup has another number: the message goes there, and so will all later ones. */
async function deliver(
  deps: TelegramDeps,
  settings: TelegramSettings,
  textOf: TextOf,
): Promise<DeliveryResult> {
  const first = await attempt(deps, settings, textOf);
  if (first.movedTo === undefined) return first.result;
  const moved = { ...settings, chatId: first.movedTo };
  const { result } = await attempt(deps, moved, textOf);
  return result.ok ? { ok: true, settings: moved } : result;
}

interface Attempt {
  readonly result: DeliveryResult;
  readonly movedTo: number | undefined;
}

async function attempt(
  { sendToService, services, senderAccounts }: TelegramDeps,
  settings: TelegramSettings,
  textOf: TextOf,
): Promise<Attempt> {
  let movedTo: number | undefined;
  const judge = (answer: HttpAnswer): DeliveryResult | undefined => {
    movedTo = parameterOf(answer, 'migrate_to_chat_id');
    return movedTo === undefined ? judgeAnswer(answer) : refusedForGood('the group has become a supergroup');
  };
  const url = `${services.telegram}/bot${senderAccounts.telegramToken}/sendMessage`;
  const result = await sendToService(jsonPost(url, textOf(settings)), { judge });
  return { result, movedTo };
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
