import { type AcmeIdentifier, AcmeProblem, UpstreamFailed } from '@certloop/contracts';
import type { AcmeSigner } from '../../acme/acme-operations.js';
import { readOrderRecord } from '../../acme/orders/order-record.js';
import type { OrderStep, StepChange } from '../../acme/orders/order-steps.js';
import { isForgotten } from '../../acme/problem-reading.js';
import { formatIssuedChain, preferChain, validateChain } from '../../judging/acme-certificate.js';
import {
  findChainFault,
  type IssuedChain,
  identify,
  keyOfCsr,
  keySha256Of,
  readAnswered,
  readCsr,
} from '../../judging/issued-certificate.js';
import {
  type IssuedCertificate,
  type KnownCertificate,
  type OrderState,
  type RefreshOutcome,
  readableText,
  type UnacceptedCertificate,
} from '../provider.js';
import { type AcmeContext, knownAccount } from './acme-parts.service.js';
import { type CompletedChain, completeChain } from './missing-intermediate.client.js';

export type Report = (step: OrderStep, change: StepChange) => Promise<void>;

/** A certificate that the CA has issued, and what it must agree with. */
interface WantedCertificate {
  readonly certificateUrl: string;
  readonly csrPem: string;
  readonly identifiers: readonly AcmeIdentifier[];
}

interface Taking {
  readonly report: Report;
  /** Forgets the order, and records what it led to. */
  readonly drop: (unaccepted: UnacceptedCertificate) => Promise<void>;
}

/**
 * Downloads a certificate, once more if it is not as it should be, as another certificate would have to be ordered. Throws
 * UpstreamFailed when both downloads are refused; the order is dropped then, since it leads to nothing else.
 */
export async function takeCertificate(
  context: AcmeContext,
  account: AcmeSigner,
  wanted: WantedCertificate,
  { report, drop }: Taking,
): Promise<IssuedCertificate> {
  const { csrPem, identifiers, certificateUrl } = wanted;
  const { clock, atMoment } = context.parts;
  const keySha256 = keyOfCsr(readCsr(csrPem));
  const take = async () => {
    const text = await download(context, account, { certificateUrl, keySha256 }, report);
    await atMoment('downloaded');
    await report('verify', { status: 'running' });
    return { text, judged: validateChain(text, { csrPem, identifiers, now: clock.now() }) };
  };
  const first = await take();
  const { text, judged } = first.judged.fault === undefined ? first : await take();
  if (judged.fault !== undefined) {
    const reason = readableText(judged.fault);
    await drop({ spkiSha256: keySha256, ...identify(text, keySha256), upstreamId: certificateUrl, reason });
    const code = judged.isChainFault === true ? 'unsound_chain' : 'unsound_certificate';
    throw new UpstreamFailed(reason, { code });
  }
  const { issued, finding } = await completed(context, judged.issued);
  const status = finding === undefined ? 'ok' : 'warning';
  await report('verify', { status, ...(finding !== undefined && { detail: finding }) });
  return { certificatePem: formatIssuedChain(issued), upstreamId: certificateUrl, finding };
}

function completed({ config, parts }: AcmeContext, issued: IssuedChain): Promise<CompletedChain> {
  const { outgoing, stopping, clock } = parts;
  const fetch = outgoing.fetchGuarded({ allowPrivate: config.allowPrivateNetwork });
  return completeChain(issued, { fetch, requestMs: config.timeouts.requestMs, stopping, now: clock.now() });
}

async function download(
  context: AcmeContext,
  account: AcmeSigner,
  { certificateUrl, keySha256 }: { readonly certificateUrl: string; readonly keySha256: string },
  report: Report,
): Promise<string> {
  await report('download', { status: 'running' });
  const chain = await readChain(context, account, certificateUrl, keySha256);
  await report('download', { status: 'ok' });
  return chain;
}

async function readChain(
  { config, client, parts }: AcmeContext,
  account: AcmeSigner,
  certificateUrl: string,
  keySha256: string,
): Promise<string> {
  const which = config.preferredChain === undefined ? 'first' : 'all';
  const chains = await client.downloadChains(account, certificateUrl, which);
  return preferChain(chains, config.preferredChain, { keySha256, now: parts.clock.now() });
}

/** Downloads a certificate again by its URL (RFC 8555 §7.4.2). */
export async function refreshAcmeCertificate(
  context: AcmeContext,
  { upstreamId, spkiSha256 }: KnownCertificate,
): Promise<RefreshOutcome> {
  const account = await knownAccount(context);
  if (account?.accountUrl === undefined || !isAtCa(context, upstreamId)) return { status: 'unchanged' };
  const now = context.parts.clock.now();
  try {
    const issued = readAnswered(await readChain(context, account, upstreamId, spkiSha256), spkiSha256, now);
    if (keySha256Of(issued) !== spkiSha256) {
      throw new UpstreamFailed('the CA answered with a certificate for another key');
    }
    const fault = findChainFault(issued, now);
    if (fault !== undefined) {
      const message = readableText(`TLS clients refuse the CA's chain: ${fault}`);
      throw new UpstreamFailed(message, { code: 'unsound_chain' });
    }
    const { issued: whole } = await completed(context, issued);
    return { status: 'found', certificatePem: formatIssuedChain(whole) };
  } catch (error) {
    if (error instanceof AcmeProblem && isForgotten(error)) return { status: 'missing' };
    throw error;
  }
}

/** Returns the certificate of an order that is to be dropped; undefined if the CA shows no certificate for it. */
export async function findIssued(
  context: AcmeContext,
  stored: OrderState,
): Promise<Omit<UnacceptedCertificate, 'reason'> | undefined> {
  const { url } = readOrderRecord(stored);
  const account = await knownAccount(context);
  if (url === undefined || account?.accountUrl === undefined || !isAtCa(context, url)) return undefined;
  const { body: order } = await context.client.getOrder(account, url);
  if (order.status !== 'valid' || order.certificate === undefined) return undefined;
  const [text = ''] = await context.client.downloadChains(account, order.certificate, 'first');
  return { ...identify(text, undefined), upstreamId: order.certificate };
}

function isAtCa({ config }: AcmeContext, address: string): boolean {
  return URL.canParse(address) && new URL(address).origin === new URL(config.directoryUrl).origin;
}
