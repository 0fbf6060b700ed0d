import { httpAddress, setting, wordList } from '@certloop/server';
import { z } from 'zod';
import { webhookKeyOf } from './events/webhook-signature.js';

const secrets = wordList.transform((words, context) => {
  const keys = words.map(webhookKeyOf);
  const valid = keys.filter((key) => key !== undefined);
  if (valid.length === words.length && valid.length >= 1 && valid.length <= 2) return valid;
  const message = 'must be one secret or two, separated by a comma: whsec_ and 24 to 64 octets in base64';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

/** Where notices of events go. */
export const noticeSettings = {
  noticeSmtpUrl: setting(
    'NOTICE_SMTP_URL',
    z.url({ protocol: /^smtps?$/, error: 'must be an smtp or smtps address' }).optional(),
    'mail server for notices, such as smtp://user:password@mail.example.org:587; no notices are mailed when absent',
  ),
  noticeMailFrom: setting(
    'NOTICE_MAIL_FROM',
    z.string().min(1).optional(),
    'sender of notices, such as "CertLoop <certs@example.org>"',
  ),
  noticeMailTo: setting(
    'NOTICE_MAIL_TO',
    z.string().min(1).optional(),
    'mail addresses that get notices, separated by commas',
  ),
  noticeWebhookUrl: setting(
    'NOTICE_WEBHOOK_URL',
    httpAddress
      .refine(
        (address) => new URL(address).username === '',
        'must not hold a user name: it is signed instead',
      )
      .optional(),
    'address to which each event is posted; none when absent',
  ),
  noticeWebhookSecrets: setting(
    'NOTICE_WEBHOOK_SECRET',
    secrets.optional(),
    'secret that signs webhooks, whsec_ and 24 to 64 bytes in base64; two, separated by a comma, while you replace one',
  ),
} as const;

interface NoticeValues {
  readonly noticeSmtpUrl?: string | undefined;
  readonly noticeMailFrom?: string | undefined;
  readonly noticeMailTo?: string | undefined;
  readonly noticeWebhookUrl?: string | undefined;
  readonly noticeWebhookSecrets?: readonly Buffer[] | undefined;
}

/** Settings, some of which may be absent. */
export function noticeFaults(config: NoticeValues): string[] {
  const mail = [config.noticeSmtpUrl, config.noticeMailFrom, config.noticeMailTo];
  const given = mail.filter((value) => value !== undefined).length;
  const isHalf = (config.noticeWebhookUrl === undefined) !== (config.noticeWebhookSecrets === undefined);
  return [
    ...(given === 0 || given === 3
      ? []
      : ['NOTICE_SMTP_URL, NOTICE_MAIL_FROM and NOTICE_MAIL_TO are needed all three, or none']),
    ...(isHalf ? ['NOTICE_WEBHOOK_URL and NOTICE_WEBHOOK_SECRET belong together: set both or neither'] : []),
  ];
}

/** Mail and webhook of notices; each is undefined where it is not set. */
export function noticeDestinations(config: NoticeValues) {
  const { noticeSmtpUrl: smtpUrl, noticeMailFrom: from, noticeMailTo: to } = config;
  const { noticeWebhookUrl: url, noticeWebhookSecrets: keys } = config;
  const hasMail = smtpUrl !== undefined && from !== undefined && to !== undefined;
  return {
    mail: hasMail ? { smtpUrl, from, to } : undefined,
    webhook: url !== undefined && keys !== undefined ? { url, keys } : undefined,
  };
}
