import type { SendMailOptions } from 'nodemailer';
import { consentMissing } from '../../consent.js';
import type { CreateIntegration, IntegrationDeps } from '../../create-integration.channel.js';
import { type DeliveryResult, undelivered } from '../../delivery/delivery-result.js';
import type { NoticeDelivery } from '../../integration.js';
import { bounceAddress } from '../../links/bounce-address.js';
import { signedLink } from '../../links/signed-link.js';
import type { EmailSettings } from './email-kind.js';
import { emailMessage, type MailContent } from './email-message.js';
import { noticeMail } from './notice-mail.js';

/** A mail address whose holder has agreed to be notified. */
export const emailIntegration: CreateIntegration<EmailSettings> = (deps) => ({
  ...(deps.sendMail === undefined ? { missing: 'CHECK_MONITOR_SMTP_URL' } : {}),
  shouldNotify: (settings, status) => settings[status],
  deliver: ({ event, view, ...to }) =>
    send(deps, { ...to, deliveryId: event.deliveryId }, (leave) =>
      emailMessage(event, view, leave, to.settings.tz),
    ),
  notify: ({ notice, site, ...to }) => send(deps, to, (leave) => noticeMail(notice, site.siteName, leave)),
});

type Receiver = Pick<NoticeDelivery<EmailSettings>, 'settings' | 'channel' | 'deliveryId'>;

/** `contentOf` is given the address by which the receiver ends all further mails. */
async function send(
  { sendMail, senderAccounts, signer }: Pick<IntegrationDeps, 'sendMail' | 'senderAccounts' | 'signer'>,
  { settings: { address }, channel, deliveryId }: Receiver,
  contentOf: (leave: string) => MailContent,
): Promise<DeliveryResult> {
  if (!channel.isVerified) return undelivered(consentMissing);
  if (sendMail === undefined) return undelivered('this service has no mail server');
  const { bounceDomain: domain } = senderAccounts;
  // by which a mail that comes back names its delivery
  const sender = domain && bounceAddress({ domain, secret: signer.secret }, deliveryId);
  const leave = signedLink(signer, { purpose: 'unsub', channelUuid: channel.uuid });
  const cover: SendMailOptions = {
    to: { name: '', address },
    ...(sender === undefined ? {} : { envelope: { from: sender, to: address } }),
    messageId: `<${deliveryId}@${new URL(signer.siteRoot).hostname}>`,
    headers: {
      // RFC 8058: mail programs end the subscription with one POST
      'List-Unsubscribe': `<${leave}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // RFC 3834 §5: no robot should answer
      'Auto-Submitted': 'auto-generated',
    },
  };
  const { attachment, smaller, ...content } = contentOf(leave);
  if (attachment === undefined) return sendMail({ ...cover, ...content });
  const attached = { filename: 'ping.eml', content: attachment, contentType: 'message/rfc822' };
  return sendMail({ ...cover, ...content, attachments: [attached], smaller: { ...cover, ...smaller } });
}
