import { httpAddress, setting, wordList } from '@certloop/server';
import { z } from 'zod';
import { mailRoutesOf } from './events/mail/mail-route.js';
import { webhookKeyOf } from './events/webhook-signature.js';
import { ownerLine, tagLine } from './fqdns/labels.js';

const secrets = wordList.transform((words, context) => {
  const keys = words.map(webhookKeyOf);
  const valid = keys.filter((key) => key !== undefined);
  if (valid.length === words.length && valid.length >= 1 && valid.length <= 2) return valid;
  const message = 'must be one secret or two, separated by a comma: whsec_ and 24 to 64 octets in base64';
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
});

const routes = z.string().transform((text, context) => {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  const pairs = parts.map((part) => /^\s*(owner|tag):(.*[^\s])\s*=\s*(\S+@[^\s=]+)\s*$/.exec(part));
  const valid = pairs.flatMap((pair) => {
    const [, kind, label = '', address = ''] = pair ?? [];
    if (kind === undefined) return [];
    const name = label.trim().normalize('NFC');
    return [{ label: kind === 'owner' ? ownerLine(name) : tagLine(name.toLowerCase()), address }];
  });
  if (valid.length === parts.length) return valid;
  const message =
    'must be pairs such as tag:shop=shop@example.org or owner:Ada=ada@example.org, separated by commas';
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
  noticeMailRoutes: setting(
    'NOTICE_MAIL_ROUTES',
    routes.default([]),
    'further mail addresses, for notices about FQDNs with an owner or a tag, such as tag:shop=shop@example.org,owner:Ada=ada@example.org',
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
  readonly noticeMailRoutes: readonly { readonly label: string; readonly address: string }[];
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
    ...(config.noticeMailRoutes.length > 0 && given === 0
      ? ['NOTICE_MAIL_ROUTES needs NOTICE_SMTP_URL, NOTICE_MAIL_FROM and NOTICE_MAIL_TO']
      : []),
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
    mailRoutes: hasMail ? mailRoutesOf(config.noticeMailRoutes, to) : [],
    webhook: url !== undefined && keys !== undefined ? { url, keys } : undefined,
  };
}
