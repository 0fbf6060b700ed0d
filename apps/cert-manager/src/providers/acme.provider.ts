import { AppError } from '@certloop/contracts';
import { readDirectory } from '../acme/directory.js';
import type { AcmeConfig } from './acme-config.js';
import type { Outgoing } from './outgoing.client.js';
import type { Provider, ProviderReport } from './provider.js';
import { readableText } from './readable-text.js';

/** ACME CA as provider: its directory can be tested; orders are not placed, so signing reports a failure. */
export function createAcmeProvider(config: AcmeConfig, outgoing: Outgoing): Provider {
  return {
    test: async () => {
      try {
        return await testDirectory(config, outgoing);
      } catch (error) {
        return failed(reasonOf(error));
      }
    },
    sign: async () => ({ isSigned: false, reason: 'this version cannot sign through ACME' }),
    refresh: async () => ({ status: 'unchanged' }),
  };
}

async function testDirectory(config: AcmeConfig, outgoing: Outgoing): Promise<ProviderReport> {
  const { directoryUrl, allowPrivateNetwork: allowPrivate } = config;
  const call = outgoing.fetchFor({ address: directoryUrl, allowPrivate });
  const signal = AbortSignal.timeout(config.timeouts.requestMs);
  const answer = await call(directoryUrl, { signal });
  if (answer.status !== 200) return failed(`the directory was answered with ${answer.status}`);
  const directory = readDirectory(directoryUrl, await answer.text());
  if (typeof directory === 'string') return failed(directory);
  const nonce = await call(directory.newNonce, { method: 'HEAD', signal });
  if (nonce.headers.get('replay-nonce') === null) return failed('the CA hands out no nonce');
  if (directory.meta?.externalAccountRequired === true && config.eab === undefined) {
    return failed('the CA requires an external account: eab is missing');
  }
  return { success: true, message: 'the directory is sound and hands out nonces' };
}

function failed(message: string): ProviderReport {
  return { success: false, message: readableText(message) };
}

function reasonOf(error: unknown): string {
  if (error instanceof AppError) return error.message;
  if (!(error instanceof Error)) return 'the CA did not answer';
  if (error.name === 'TimeoutError') return 'the CA did not answer in time';
  return `the CA did not answer: ${networkReason(error)}`;
}

/** The innermost cause's code, such as ECONNREFUSED. */
function networkReason(error: Error): string {
  if (error.cause instanceof Error) return networkReason(error.cause);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
