import type { IntegrationDeps } from '../../src/integrations/create-integration.channel.js';
import type { SendHttp } from '../../src/integrations/delivery/http-sender.client.js';
import type { SenderAccounts } from '../../src/integrations/sender-accounts.js';
import { site } from './events.js';

/** Nothing is set up at any service. */
export const noAccounts: SenderAccounts = {
  smtp: undefined,
  bounceDomain: undefined,
  telegramToken: undefined,
  pushoverToken: undefined,
  ntfyToken: undefined,
  matrix: undefined,
  signalSocket: undefined,
};

/** Dependencies of integrations that call the services at `url`, with an account at each that takes one. */
export function integrationDeps(url: string, send: SendHttp): IntegrationDeps {
  return {
    sendToUser: send,
    sendToService: send,
    sendMail: undefined,
    senderAccounts: {
      ...noAccounts,
      telegramToken: '1:abc',
      pushoverToken: 'app',
      ntfyToken: 'shared',
      matrix: { homeserverUrl: url, accessToken: 'secret' },
    },
    services: {
      telegram: url,
      pushover: url,
      pagerDuty: url,
      opsgenie: { us: `${url}/us`, eu: `${url}/eu` },
    },
    signer: site,
    clock: { now: () => 0 },
    timeoutMs: 60_000,
    stop: new AbortController().signal,
    onCaptcha: () => undefined,
    notifyMember: async () => undefined,
  };
}
