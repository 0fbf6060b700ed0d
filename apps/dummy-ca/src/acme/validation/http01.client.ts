import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { http01Path, isHttp01Answer, type Proof } from '@certloop/acme-server/rules';
import { AcmeProblem } from '@certloop/contracts';
import { limitConnect } from './connect-limit.client.js';
import { atFirstReachable } from './first-reachable.js';
import type { Names } from './names.client.js';
import { redirectTarget } from './redirects.js';
import type { ValidationSettings, ValidationTime } from './validation-settings.js';

const maxRedirects = 10;
// a key authorization has about 90 bytes
const maxAnswerOctets = 4_096;

/**
 * Requests the key authorization by HTTP (RFC 8555 §8.3), with up to ten redirects. Throws `connection`, `dns`, or
 * `incorrectResponse` for another status or body.
 */
export async function proveHttp01(
  { identifier, token, keyAuthorization }: Proof,
  names: Names,
  settings: ValidationSettings,
  time: ValidationTime,
): Promise<void> {
  const host = identifier.value.includes(':') ? `[${identifier.value}]` : identifier.value;
  let url = new URL(`http://${host}${http01Path(token)}`);
  for (let redirects = 0; ; redirects += 1) {
    const answer = await get(url, names, settings, time);
    if (answer.location === undefined) return judge(url, answer, keyAuthorization);
    if (redirects === maxRedirects) throw new AcmeProblem('connection', 'there are more than 10 redirects');
    url = redirectTarget(url, answer.location, settings);
  }
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly body: string;
}

async function get(
  url: URL,
  names: Names,
  settings: ValidationSettings,
  time: ValidationTime,
): Promise<Answer> {
  const addresses = await names.addressesOf(bare(url), time.signal);
  return atFirstReachable(addresses, time, (address, connectMs) =>
    getAt(address, connectMs, url, settings, time.signal),
  );
}

async function getAt(
  address: string,
  connectMs: number | undefined,
  url: URL,
  settings: ValidationSettings,
  signal: AbortSignal,
): Promise<Answer> {
  const isTls = url.protocol === 'https:';
  const options = {
    host: address,
    port: isTls ? settings.tlsAlpn01Port : settings.http01Port,
    path: `${url.pathname}${url.search}`,
    // this server substitutes the port; for the client it is still port 80
    headers: { Host: url.hostname, 'User-Agent': 'certloop-dummy-ca', Accept: '*/*' },
    agent: false,
    signal,
  };
  try {
    // the client that proves the name has no certificate for it yet
    const request = isTls
      ? requestHttps({
          ...options,
          servername: isIP(bare(url)) === 0 ? url.hostname : '',
          rejectUnauthorized: false,
        })
      : requestHttp(options);
    request.once('socket', (socket) => limitConnect(socket, connectMs));
    return await receive(request);
  } catch (cause) {
    const reason = signal.aborted ? 'timed out' : (cause as Error).message;
    throw new AcmeProblem('connection', `${shown(url)} at ${address}: ${reason}`, { cause });
  }
}

function receive(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    // without a listener, the request would end with neither a response nor an error
    request.once('upgrade', ({ statusCode: status = 0 }, socket) => {
      socket.destroy();
      resolve({ status, location: undefined, body: '' });
    });
    request.once('response', (response) => {
      bounded(response).then((body) => {
        const { statusCode: status = 0, headers } = response;
        const location = status >= 300 && status < 400 ? headers.location : undefined;
        resolve({ status, location, body });
      }, reject);
    });
    request.end();
  });
}

/** The first bytes of the body; the rest is not read. */
async function bounded(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxAnswerOctets) break;
  }
  return Buffer.concat(chunks).subarray(0, maxAnswerOctets).toString('utf8');
}

function judge(url: URL, { status, body }: Answer, keyAuthorization: string): void {
  if (status !== 200) throw new AcmeProblem('incorrectResponse', `${shown(url)} was answered with ${status}`);
  if (isHttp01Answer(body, keyAuthorization)) return;
  const given = JSON.stringify(body.slice(0, 100));
  throw new AcmeProblem('incorrectResponse', `${shown(url)} did not give the key authorization but ${given}`);
}

/** Host of an address, that of IPv6 without its brackets. */
const bare = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

// the URL may come from a redirect, and the problem is stored with its challenge
const shown = ({ href }: URL): string => `GET ${href.slice(0, 300)}`;
