import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { rootCertificates, type TLSSocket } from 'node:tls';

/** How an ACME server is called. */
export interface AcmeCalls {
  /** PEM of a root that its certificate may end at, beside those that Node.js trusts. */
  readonly rootPem?: string | undefined;
  /** Ends a call that takes too long. */
  readonly deadline: () => AbortSignal;
  readonly userAgent: string;
}

export interface AcmeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Undefined where it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  /** Until when the certificate of the server is valid; absent for http. */
  readonly trustedUntil?: Date;
}

const maxBodyBytes = 1_000_000;

/** Sends one request; JSON is sent by POST. Errors are those of node:http and node:https. */
export async function callAcme(address: string, calls: AcmeCalls, json?: unknown): Promise<AcmeAnswer> {
  const url = new URL(address);
  const body = json === undefined ? undefined : JSON.stringify(json);
  const options = {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'User-Agent': calls.userAgent,
      ...(body !== undefined && {
        'Content-Type': 'application/jose+json',
        'Content-Length': Buffer.byteLength(body),
      }),
    },
    signal: calls.deadline(),
    agent: false as const,
    ...(calls.rootPem !== undefined && { ca: [...rootCertificates, calls.rootPem] }),
  };
  const sent = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
  return new Promise<AcmeAnswer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (answer) => {
      const until = url.protocol === 'https:' ? endOfCertificate(answer.socket as TLSSocket) : undefined;
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBodyBytes) sent.destroy(new Error('the response is too long'));
        chunks.push(chunk);
      });
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: objectIn(Buffer.concat(chunks).toString('utf8')),
          ...(until !== undefined && { trustedUntil: until }),
        });
      });
    });
    sent.end(body);
  });
}

function endOfCertificate(socket: TLSSocket): Date | undefined {
  const { valid_to: end } = socket.getPeerCertificate();
  return end === undefined ? undefined : new Date(end);
}

function objectIn(text: string): AcmeAnswer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
