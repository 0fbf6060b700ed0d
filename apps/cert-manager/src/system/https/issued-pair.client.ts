import { X509Certificate } from 'node:crypto';
import { createDummyCaClient, UpstreamFailed } from '@certloop/contracts';
import { buildCsr, exportPrivateKeyPem, generateKeyPair, parseIpAddress } from '@certloop/crypto';
import type { Clock, Logger } from '@certloop/server';
import { type PairSource, type ReadPair, readPair } from './read-pair.service.js';

interface IssuedPairOptions {
  /** Address of dummy-ca. */
  readonly baseUrl: string;
  /** Host names and addresses of the certificate. */
  readonly names: readonly string[];
  readonly fetch: typeof fetch;
}

const validityDays = 90;
// a service that starts waits for it
const timeoutMs = 5_000;

/**
 * Gets keys and certificates from a dummy CA: the first one, another one when a third of the validity is left, and one
 * when the CA has another root, as after a restart without a state file.
 */
export function createIssuedPair(
  { baseUrl, names, fetch }: IssuedPairOptions,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): PairSource {
  const ca = createDummyCaClient({ baseUrl, timeoutMs, fetch });
  let lastReason: string | undefined;
  const issue = async (): Promise<ReadPair> => {
    const { privateKey } = await generateKeyPair('P-256');
    const csr = Buffer.from((await buildCsr({ privateKey, ...namesOf(names) })).pem).toString('base64');
    const { body } = await ca.signCsr({ body: { csr, action: 'sign', validity_days: validityDays } });
    const pair = readPair({ cert: body.certificate, key: exportPrivateKeyPem(privateKey) });
    if ('reason' in pair) throw new UpstreamFailed(`dummy-ca: ${pair.reason}`);
    return pair;
  };
  const next: PairSource['next'] = async (inUse) => {
    try {
      const root = (await ca.getRoot({})).body;
      if (inUse !== undefined && !isDue(inUse, clock.now()) && isIssuedUnder(inUse, root)) return undefined;
      const pair = await issue();
      lastReason = undefined;
      return pair;
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== lastReason) logger.warn({ reason, baseUrl }, 'https.certificate_not_issued');
      lastReason = reason;
      return undefined;
    }
  };
  return { first: () => next(undefined), next };
}

/** Whether less than a third of the validity is left. */
function isDue({ notBefore, notAfter }: ReadPair, now: Date): boolean {
  return notAfter.getTime() - now.getTime() < (notAfter.getTime() - notBefore.getTime()) / 3;
}

function isIssuedUnder({ cert }: ReadPair, root: string): boolean {
  return new X509Certificate(cert).verify(new X509Certificate(root).publicKey);
}

function namesOf(names: readonly string[]) {
  const isAddress = (name: string) => parseIpAddress(name) !== undefined;
  return {
    dnsNames: names.filter((name) => !isAddress(name)),
    ipAddresses: names.filter(isAddress),
  };
}
