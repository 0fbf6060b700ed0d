import { UpstreamFailed } from '@certloop/contracts';
import type { DnsProofSource } from './dns-backend.js';
import type { DnsProof } from './dns-proof.js';

/** A server of lego's httpreq contract: `POST {url}/present` and `POST {url}/cleanup`. */
export interface WebhookSettings {
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  readonly url: string;
  /** Value of the Authorization header. */
  readonly authHeader?: string | undefined;
  /** `raw` sends domain, token and key authorization instead of the record. */
  readonly mode: 'fqdn-value' | 'raw';
  readonly requestMs: number;
}

/** Sends a record to the server. Throws UpstreamFailed when it refuses or does not answer. */
export async function callWebhook(
  settings: WebhookSettings,
  act: 'present' | 'cleanup',
  record: DnsProof,
  source: DnsProofSource,
): Promise<void> {
  const { url, authHeader, mode } = settings;
  const body =
    mode === 'raw'
      ? { domain: source.identifier.value, token: source.token, keyAuth: source.answer }
      : { fqdn: `${record.name}.`, value: record.value };
  await post(`the DNS webhook's ${act}`, settings, `${url}/${act}`, body, {
    ...(authHeader !== undefined && { Authorization: authHeader }),
  });
}

/** Account with an acme-dns server; it holds one name, to which `_acme-challenge` names point by CNAME. */
export interface AcmeDnsSettings {
  readonly fetch: WebhookSettings['fetch'];
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly subdomain: string;
  /** Name that the `_acme-challenge` names must lead to, when it is known. */
  readonly fullDomain?: string | undefined;
  readonly requestMs: number;
}

/** Publishes a value; the server keeps the last two and deletes the others. */
export async function updateAcmeDns(settings: AcmeDnsSettings, { value }: DnsProof): Promise<void> {
  const { url, username, password, subdomain } = settings;
  const headers = { 'X-Api-User': username, 'X-Api-Key': password };
  await post('acme-dns', settings, `${url}/update`, { subdomain, txt: value }, headers);
}

/** Status that a server answers a plain GET of its address with, whatever it is. Throws UpstreamFailed. */
export async function getStatus(
  what: string,
  { fetch, requestMs, url }: Pick<WebhookSettings, 'fetch' | 'requestMs' | 'url'>,
): Promise<number> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(requestMs) })).status;
  } catch (cause) {
    if (cause instanceof UpstreamFailed) throw cause;
    throw new UpstreamFailed(`${what} did not answer`, { cause });
  }
}

async function post(
  what: string,
  { fetch, requestMs }: Pick<WebhookSettings, 'fetch' | 'requestMs'>,
  address: string,
  body: object,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(requestMs),
    });
    if (answer.status >= 300) throw new UpstreamFailed(`${what} was answered with ${answer.status}`);
  } catch (cause) {
    if (cause instanceof UpstreamFailed) throw cause;
    throw new UpstreamFailed(`${what} did not answer`, { cause });
  }
}
