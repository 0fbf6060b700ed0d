import { baseAddress, flag, httpAddress, setting, wholeNumber, wordList } from '@certloop/server';
import { z } from 'zod';
import { channelKindNames, findKind } from './integrations/channel-kinds.js';
import type { ChannelKind } from './integrations/kinds.js';

const channelKindList = wordList.transform((words, context): ChannelKind[] => {
  const unknown = words.find((word) => findKind(word) === undefined);
  if (unknown === undefined) return words.flatMap((word) => findKind(word) ?? []);
  context.addIssue({
    code: 'custom',
    message: `${unknown} is not a kind of integration; the kinds are ${channelKindNames.join(', ')}`,
  });
  return [];
});

/** Settings of how messages are sent. */
export const messageSettings = {
  logoUrl: setting(
    'CHECK_MONITOR_LOGO_URL',
    httpAddress.optional(),
    'address of a picture shown next to messages in chats; none when absent',
  ),
  allowPrivateTargets: setting(
    'CHECK_MONITOR_ALLOW_PRIVATE_TARGETS',
    flag.default(false),
    'true: integrations may call private and loopback addresses',
  ),
  egressProxy: setting(
    'CHECK_MONITOR_EGRESS_PROXY',
    httpAddress.optional(),
    'HTTP proxy for calls of integrations, such as http://user:password@proxy.example.org:3128; names must also resolve on this machine; mail and signal-cli do not use it',
  ),
  disabledKinds: setting(
    'CHECK_MONITOR_DISABLED_INTEGRATIONS',
    channelKindList.default([]),
    'disabled kinds of integrations, such as slack,webhook; their messages fail with that reason',
  ),
  smtpUrl: setting(
    'CHECK_MONITOR_SMTP_URL',
    z.url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps address' }).optional(),
    'mail server, such as smtp://user:password@mail.example.org:587; no mail is sent when absent',
  ),
  mailFrom: setting(
    'CHECK_MONITOR_MAIL_FROM',
    z.string().optional(),
    'sender of mails, such as "Alerts <alerts@example.org>"; alerts at the host of the site root when absent',
  ),
  bounceDomain: setting(
    'CHECK_MONITOR_BOUNCE_DOMAIN',
    z.string().optional(),
    'domain of the envelope senders of alerts; its mail server must post bounces to /api/v3/bounces/',
  ),
  telegramToken: setting(
    'CHECK_MONITOR_TELEGRAM_TOKEN',
    z.string().optional(),
    'token of the bot that notifies Telegram chats',
  ),
  pushoverToken: setting(
    'CHECK_MONITOR_PUSHOVER_TOKEN',
    z.string().optional(),
    'token of the application that notifies Pushover users',
  ),
  ntfyToken: setting(
    'CHECK_MONITOR_NTFY_TOKEN',
    z.string().optional(),
    'access token at ntfy.sh, for integrations without a token',
  ),
  matrixHomeserver: setting(
    'CHECK_MONITOR_MATRIX_HOMESERVER',
    baseAddress.optional(),
    'homeserver of the account that notifies Matrix rooms',
  ),
  matrixAccessToken: setting(
    'CHECK_MONITOR_MATRIX_ACCESS_TOKEN',
    z.string().optional(),
    'access token of the account that notifies Matrix rooms',
  ),
  signalSocket: setting(
    'CHECK_MONITOR_SIGNAL_SOCKET',
    z.string().optional(),
    'socket of signal-cli: a path or host:port',
  ),
  deliveryWorkers: setting(
    'CHECK_MONITOR_DELIVERY_WORKERS',
    wholeNumber(1, 100).default(4),
    'channels that are sent to at the same time; a call that takes longer than a second no longer counts',
  ),
  digestPerMinute: setting(
    'CHECK_MONITOR_DIGEST_PER_MINUTE',
    wholeNumber(0, 10_000).default(20),
    'maximum messages per minute to a channel that people read; further ones are combined into one message; 0: no limit',
  ),
} as const;
