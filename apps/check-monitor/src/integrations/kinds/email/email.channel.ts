import type { SendMailOptions } from 'nodemailer';
import { consentMissing } from '../../consent.js';
import type { CreateIntegration } from '../../create-integration.channel.js';
import { type DeliveryResult, undelivered } from '../../delivery/delivery-result.js';
import type { Delivery, Integration, NoticeDelivery } from '../../integration.js';
import { bounceAddress } from '../../links/bounce-address.js';
import { signedLink } from '../../links/signed-link.js';
import type { EmailSettings } from './email-kind.js';
import { emailMessage } from './email-message.js';
import type { Sendable, SendMail } from './mail-sender.client.js';
import { noticeMail } from './notice-mail.js';

export interface EmailDeps {
  /** Undefined when this service has no mail server. */
  readonly sendMail: SendMail | undefined;
  /** Host that message identifiers are made under. */
  readonly host: string;
  /** Address by which the receiver of a channel ends it. */
  readonly unsubscribeUrl: (channelUuid: string) => string;
  /** Envelope sender by which a mail that comes back names its delivery; that of all mails when undefined. */
  readonly bounceAddress: ((deliveryId: string) => string) | undefined;
}

/** A mail address whose holder has agreed to be notified. */
export function createEmail(deps: EmailDeps): Integration<EmailSettings> {
  return {
    ...(deps.sendMail === undefined ? { missing: 'CHECK_MONITOR_SMTP_URL' } : {}),
    shouldNotify: (settings, status) => settings[status],
    deliver: (delivery) => deliver(deps, delivery),
    notify: (delivery) => notify(deps, delivery),
  };
}

async function deliver(deps: EmailDeps, delivery: Delivery<EmailSettings>): Promise<DeliveryResult> {
  if (!delivery.channel.isVerified) return undelivered(consentMissing);
  if (deps.sendMail === undefined) return undelivered('this service has no mail server');
  return deps.sendMail(mailOf(deps, delivery));
}

async function notify(deps: EmailDeps, delivery: NoticeDelivery<EmailSettings>): Promise<DeliveryResult> {
  const { settings, notice, deliveryId, channel, site } = delivery;
  if (!channel.isVerified) return undelivered(consentMissing);
  if (deps.sendMail === undefined) return undelivered('this service has no mail server');
  const leave = deps.unsubscribeUrl(channel.uuid);
  const mail = noticeMail(notice, site.siteName, leave);
  return deps.sendMail({ ...mail, ...coverOf(deps, { deliveryId, address: settings.address, leave }) });
}

function mailOf(deps: EmailDeps, { settings, event, view, channel }: Delivery<EmailSettings>): Sendable {
  const leave = deps.unsubscribeUrl(channel.uuid);
  const { attachment, smaller, ...content } = emailMessage(event, view, leave, settings.tz);
  const cover = coverOf(deps, { deliveryId: event.deliveryId, address: settings.address, leave });
  if (attachment === undefined) return { ...cover, ...content };
  const attached = { filename: 'ping.eml', content: attachment, contentType: 'message/rfc822' };
  return { ...cover, ...content, attachments: [attached], smaller: { ...cover, ...smaller } };
}

interface Cover {
  readonly deliveryId: string;
  readonly address: string;
  readonly leave: string;
}

/** Returns what all mails to a channel have in common. */
function coverOf(
  { host, bounceAddress }: Pick<EmailDeps, 'host' | 'bounceAddress'>,
  { deliveryId, address, leave }: Cover,
): SendMailOptions {
  return {
    to: { name: '', address },
    ...(bounceAddress === undefined ? {} : { envelope: { from: bounceAddress(deliveryId), to: address } }),
    messageId: `<${deliveryId}@${host}>`,
    headers: {
      // RFC 8058: mail programs end the subscription with one POST
      'List-Unsubscribe': `<${leave}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      // RFC 3834 §5: no robot should answer
      'Auto-Submitted': 'auto-generated',
    },
  };
}

export const emailIntegration: CreateIntegration<EmailSettings> = ({ sendMail, senderAccounts, signer }) => {
  const { bounceDomain: domain } = senderAccounts;
  return createEmail({
    sendMail,
    host: new URL(signer.siteRoot).hostname,
    unsubscribeUrl: (channelUuid) => signedLink(signer, { purpose: 'unsub', channelUuid }),
    bounceAddress:
      domain === undefined
        ? undefined
        : (deliveryId) => bounceAddress({ domain, secret: signer.secret }, deliveryId),
  });
};
