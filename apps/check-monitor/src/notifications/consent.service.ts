import { InvalidInput, NotFound } from '@certloop/contracts';
import { type Channel, deleteChannel, findChannel, updateChannel } from '../channels/channels.repository.js';
import type { DbDeps } from '../db-deps.js';
import { needsConsent } from '../integrations/consent.js';
import type { DeliveryResult } from '../integrations/delivery/delivery-result.js';
import { consentMail } from '../integrations/kinds/email/consent-message.js';
import { type EmailSettings, emailSettings } from '../integrations/kinds/email/email-kind.js';
import type { SendMail } from '../integrations/kinds/email/mail-sender.client.js';
import { isFormerUnsubscribeLink } from '../integrations/links/former-link.js';
import { isSignedLink, type LinkPurpose, signedLink } from '../integrations/links/signed-link.js';
import { acceptedSecrets, type Secrets } from '../projects/api-key.js';
import { isUuid } from '../storable-text.js';
import { noteConsent, noteRefusal } from './consent/consent-requests.repository.js';

export interface ConsentDeps extends Secrets, DbDeps {
  readonly addresses: { readonly siteRoot: string };
  readonly siteName: string;
  readonly notifier: { readonly sendMail: SendMail | undefined };
}

/** Asks the holder of a mail address to agree. Throws InvalidInput when this service has no mail server. */
export async function askConsent(
  { notifier, secret, addresses, siteName }: ConsentDeps,
  channel: Channel,
): Promise<DeliveryResult> {
  if (notifier.sendMail === undefined) throw new InvalidInput('this service has no mail server');
  const { address } = addressOf(channel);
  const signer = { siteRoot: addresses.siteRoot, secret };
  const link = signedLink(signer, { purpose: 'verify', channelUuid: channel.uuid, address });
  return notifier.sendMail({ to: { name: '', address }, ...consentMail(siteName, link) });
}

/** A signed link as it came in. */
export interface GivenLink {
  readonly purpose: LinkPurpose;
  readonly channelUuid: string;
  readonly signature: string;
}

/**
 * Throws NotFound when the link is not ours, or no longer. One to leave stays good when the channel is gone: anyone who
 * follows it twice has left all the same.
 */
export async function requireLink(deps: ConsentDeps, link: GivenLink): Promise<Channel | undefined> {
  const { purpose, channelUuid, signature } = link;
  const channel = isUuid(channelUuid) ? await deps.db.read((tx) => findChannel(tx, channelUuid)) : undefined;
  const isMail = channel !== undefined && needsConsent(channel.kind);
  const bound = purpose === 'verify' && isMail ? addressOf(channel) : {};
  const subject = { purpose, channelUuid, ...bound };
  const isOurs = acceptedSecrets(deps).some((secret) => isSignedLink(secret, subject, signature));
  if (!isOurs && !isFormerUnsubscribeLink(deps.formerSecret, subject, signature)) throw noSuchLink();
  if (purpose === 'verify' && !isMail) throw noSuchLink();
  return channel;
}

/**
 * Does what the link is for: agrees to notifications, or ends them permanently; the link that asks for consent declines
 * them if `isDeclined`. Throws NotFound as requireLink.
 */
export async function followLink(deps: ConsentDeps, link: GivenLink, isDeclined = false): Promise<void> {
  const channel = await requireLink(deps, link);
  if (channel === undefined) return;
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) => {
    if (link.purpose === 'unsub') return deleteChannel(tx, channel.id);
    const { address } = addressOf(channel);
    if (isDeclined) {
      await noteRefusal(tx, address, now);
      return deleteChannel(tx, channel.id);
    }
    await noteConsent(tx, address);
    await updateChannel(tx, channel.id, { verifiedAt: channel.verifiedAt ?? now });
  });
}

/** The address, as links are bound to it. */
function addressOf({ settings }: Channel): Pick<EmailSettings, 'address'> {
  const { address } = emailSettings.parse(settings);
  return { address };
}

function noSuchLink(): NotFound {
  return new NotFound('the link is not valid');
}
