import { UpstreamFailed } from '@certloop/contracts';

export interface ProbeSettings {
  /** Guarded, and never following a redirect. */
  readonly fetch: (address: string, init: RequestInit) => Promise<Response>;
  /** What an answer that cannot be read means. */
  readonly selfCheck: 'off' | 'warn' | 'strict';
  readonly requestMs: number;
}

/** A file that a CA will look for. */
interface Expected {
  readonly host: string;
  readonly token: string;
  readonly answer: string;
}

/**
 * Looks for a published answer as a CA does: under port 80 of the name, over at most 10 redirects. Undefined when it
 * is there, else why not; with `strict` that is UpstreamFailed.
 */
export async function probeHttp01(settings: ProbeSettings, expected: Expected): Promise<string | undefined> {
  if (settings.selfCheck === 'off') return undefined;
  const fault = await findFault(settings, expected);
  if (fault === undefined) return undefined;
  const reason = `${expected.host}: the challenge cannot be read from here: ${fault}`;
  if (settings.selfCheck === 'strict') throw new UpstreamFailed(reason, { code: 'self_check_failed' });
  return reason;
}

// As public CAs do.
const mostRedirects = 10;

async function findFault(
  settings: ProbeSettings,
  { host, token, answer }: Expected,
): Promise<string | undefined> {
  const name = host.includes(':') ? `[${host}]` : host;
  let address = `http://${name}/.well-known/acme-challenge/${token}`;
  try {
    for (let count = 0; count <= mostRedirects; count += 1) {
      const signal = AbortSignal.timeout(settings.requestMs);
      const response = await settings.fetch(address, { signal });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        return await faultOf(response, answer);
      }
      address = new URL(location, address).href;
    }
    return 'there is no end of redirects';
  } catch (error) {
    return networkReason(error);
  }
}

async function faultOf(response: Response, answer: string): Promise<string | undefined> {
  if (response.status !== 200) return `it was answered with ${response.status}`;
  return (await response.text()).trimEnd() === answer ? undefined : 'it was answered with something else';
}

function networkReason(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer';
  if (error.cause instanceof Error) return networkReason(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
