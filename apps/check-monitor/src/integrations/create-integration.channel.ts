import type { Clock } from '../instants.js';
import type { DeliveryResult } from './delivery/delivery-result.js';
import type { SendHttp } from './delivery/http-sender.client.js';
import type { Integration, MemberDelivery } from './integration.js';
import type { SendMail } from './kinds/email/mail-sender.client.js';
import type { LinkSigner } from './links/signed-link.js';
import type { PublicServices, SenderAccounts } from './sender-accounts.js';

/** Dependencies of integrations; each kind takes what it needs. */
export interface IntegrationDeps {
  /** To addresses that users name: refuses those inside. */
  readonly sendToUser: SendHttp;
  /** To addresses that the operator names, which may well be inside. */
  readonly sendToService: SendHttp;
  readonly sendMail: SendMail | undefined;
  readonly senderAccounts: SenderAccounts;
  readonly services: PublicServices;
  readonly signer: LinkSigner;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Breaks off what is being sent. */
  readonly stop: AbortSignal;
  /** Called when Signal wants a person to prove that it is one; until then nothing is sent. */
  readonly onCaptcha: (token: string) => void;
  /** Sends to one channel; undefined when it is gone, switched off, a group itself, or not sent such changes. */
  readonly notifyMember: (delivery: MemberDelivery) => Promise<DeliveryResult | undefined>;
}

/** Creates how channels of one kind are notified. */
export type CreateIntegration<Settings extends object = object> = (
  deps: IntegrationDeps,
) => Integration<Settings>;
