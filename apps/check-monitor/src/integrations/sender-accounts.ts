import type { OpsgenieRegion } from './kinds/opsgenie/opsgenie-kind.js';

/** Accounts of this service at the services that send its messages; an undefined one is not set up. */
export interface SenderAccounts {
  readonly smtp: { readonly url: string; readonly from: string } | undefined;
  /** Domain whose mail is posted to this service, so that mails which come back are noticed. */
  readonly bounceDomain: string | undefined;
  readonly telegramToken: string | undefined;
  readonly pushoverToken: string | undefined;
  /** For topics of ntfy.sh whose channel has no token of its own. */
  readonly ntfyToken: string | undefined;
  readonly matrix: { readonly homeserverUrl: string; readonly accessToken: string } | undefined;
  /** Socket of signal-cli: a path, or `host:port`. */
  readonly signalSocket: string | undefined;
}

/** Addresses of services that everybody uses, without trailing slashes. */
export interface PublicServices {
  readonly telegram: string;
  readonly pushover: string;
  readonly pagerDuty: string;
  readonly opsgenie: Readonly<Record<OpsgenieRegion, string>>;
}

export const publicServices: PublicServices = {
  telegram: 'https://api.telegram.org',
  pushover: 'https://api.pushover.net',
  pagerDuty: 'https://events.pagerduty.com',
  opsgenie: { us: 'https://api.opsgenie.com', eu: 'https://api.eu.opsgenie.com' },
};
