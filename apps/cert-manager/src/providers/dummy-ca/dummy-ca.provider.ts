import { InvalidInput, UpstreamFailed } from '@certloop/contracts';
import { buildCsr, generateKeyPair } from '@certloop/crypto';
import { type CallSlots, type Clock, createCallSlots } from '@certloop/server';
import {
  chainToRoot,
  describeLeaf,
  differenceFromCsr,
  type IssuedChain,
  identify,
  isSameCertificate,
  keyOfCsr,
  keySha256Of,
  leafFacts,
  leafFault,
  readCsr,
  subjectOf,
  timeFault,
} from '../../judging/issued-certificate.js';
import type { Outgoing } from '../outgoing.client.js';
import {
  type IssuedCertificate,
  type KnownCertificate,
  type Provider,
  type ProviderReport,
  type RefreshOutcome,
  readableText,
} from '../provider.js';
import { connectDummyCa, type DummyCa } from './dummy-ca.client.js';
import type { DummyCaConfig } from './dummy-ca-config.js';
import {
  NotAccepted,
  readAnswer,
  refusalOf,
  rootUnread,
  upstreamReasonOf,
} from './dummy-ca-refusals.provider.js';
import { revokeByDummyCa } from './dummy-ca-revocation.service.js';

/** Memory of a CA from call to call. */
export interface DummyCaMemory {
  readonly slots: CallSlots;
  /** The root last read, and where. */
  root: { readonly baseUrl: string; readonly pem: string } | undefined;
}

export function createDummyCaMemory(): DummyCaMemory {
  return { slots: createCallSlots(), root: undefined };
}

interface Context {
  readonly config: DummyCaConfig;
  readonly memory: DummyCaMemory;
  readonly clock: Clock;
  readonly ca: DummyCa;
}

/** A dummy CA as provider. What it signs is believed only when key, names and chain are what they should be. */
export function createDummyCaProvider(
  config: DummyCaConfig,
  deps: { readonly outgoing: Outgoing; readonly memory: DummyCaMemory; readonly clock: Clock },
): Provider {
  const { outgoing, memory, clock } = deps;
  const context = { config, memory, clock, ca: connectDummyCa(config, outgoing, memory.slots) };
  return {
    sign: async (csrPem, progress, requestName) => {
      // it may have waited for its turn
      const onTurn = async () => progress?.onStep?.('finalize', { status: 'running' });
      try {
        return { isSigned: true, ...(await issue(context, csrPem, { requestName, onTurn })) };
      } catch (error) {
        return { isSigned: false, ...refusalOf(error, clock.now()) };
      }
    },
    test: async (depth) => {
      try {
        return { success: true, message: await probe(context, depth) };
      } catch (error) {
        return { success: false, message: upstreamReasonOf(error) } satisfies ProviderReport;
      }
    },
    refresh: (known) => refresh(context, known),
    readRoot: async () => knownRoot(context) ?? readRoot(context),
    revoke: (order) => revokeByDummyCa(context.ca, order),
  };
}

async function issue(
  context: Context,
  csrPem: string,
  {
    requestName,
    onTurn,
  }: { readonly requestName?: string | undefined; readonly onTurn?: () => Promise<void> } = {},
): Promise<IssuedCertificate> {
  const { id, certificate } = await context.ca.sign(csrPem, requestName, onTurn);
  // An id that is not a plain word could not be asked for again.
  const upstreamId = /^[\w.:-]{1,200}$/.test(id) ? id : null;
  const fault = await accept(context, csrPem, certificate).catch(asFault);
  if (!(fault instanceof UpstreamFailed)) return { ...fault, upstreamId };
  // once more, as another certificate would have to be issued
  const again = upstreamId === null ? undefined : await context.ca.findCertificate(upstreamId).catch(asFault);
  const isOther = typeof again === 'string' && again !== certificate;
  const second = isOther ? await accept(context, csrPem, again).catch(asFault) : fault;
  if (!(second instanceof UpstreamFailed)) return { ...second, upstreamId };
  const spkiSha256 = keyOfCsr(readCsr(csrPem));
  const known = { spkiSha256, ...identify(certificate, spkiSha256), upstreamId };
  throw new NotAccepted({ ...known, reason: fault.message });
}

/** Passes what the root is needed for on: the certificate is not refused, but asked for again. */
function asFault(error: unknown): UpstreamFailed {
  if (error instanceof UpstreamFailed && error.code !== rootUnread) return error;
  throw error;
}

/** The certificate in the form that is stored. Throws UpstreamFailed if it is not what was asked for. */
async function accept(
  context: Context,
  csrPem: string,
  certificate: string,
): Promise<Omit<IssuedCertificate, 'upstreamId'>> {
  const now = context.clock.now();
  const csr = readCsr(csrPem);
  const issued = readAnswer(certificate, keyOfCsr(csr), now);
  const fault = differenceFromCsr(issued, csr) ?? timeFault(issued, now) ?? leafFault(issued);
  if (fault !== undefined) throw new UpstreamFailed(readableText(fault));
  const certificatePem = await trustedChain(context, issued);
  // of several certificates, some may not be part of the chain
  const facts = issued.others.length === 0 ? leafFacts(issued) : describeLeaf(certificatePem);
  return { certificatePem, facts };
}

async function probe(context: Context, depth: 'shallow' | 'deep'): Promise<string> {
  await context.ca.requireHealth();
  const root = await readRoot(context);
  const found = `the CA answers, its root is ${readableText(subjectOf(root))}`;
  if (depth === 'shallow') return found;
  const { privateKey } = await generateKeyPair('P-256');
  const { pem } = await buildCsr({ privateKey, dnsNames: ['probe.invalid'] });
  await issue(context, pem);
  return `${found}, and it signs`;
}

async function refresh(context: Context, known: KnownCertificate): Promise<RefreshOutcome> {
  const text = await context.ca.findCertificate(known.upstreamId);
  if (text === undefined) return { status: 'missing' };
  const issued = readAnswer(text, known.spkiSha256, context.clock.now());
  if (keySha256Of(issued) !== known.spkiSha256) {
    throw new UpstreamFailed('the CA answered with a certificate for another key');
  }
  return { status: 'found', certificatePem: await trustedChain(context, issued) };
}

/** PEM of the chain. Throws UpstreamFailed unless it leads to the CA's root. */
async function trustedChain(context: Context, issued: IssuedChain): Promise<string> {
  const { clock } = context;
  const known = knownRoot(context);
  const chain = known === undefined ? undefined : chainToRoot(issued, known, clock.now()).pem;
  // A CA that was started again has another root: read it before its certificates are called foreign.
  if (chain !== undefined) return chain;
  const { pem, fault } = chainToRoot(issued, await readRoot(context), clock.now());
  if (pem !== undefined) return pem;
  throw new UpstreamFailed(readableText(`the certificate does not chain to the CA's root: ${fault}`));
}

function knownRoot({ config, memory }: Context): string | undefined {
  return config.rootPem ?? (memory.root?.baseUrl === config.baseUrl ? memory.root.pem : undefined);
}

/** The CA's root, cached. Throws UpstreamFailed when it is not a certificate, or not the pinned one. */
async function readRoot({ ca, config, memory }: Context): Promise<string> {
  const pem = await ca.readRoot().catch(asRootUnread);
  if (!isCertificate(pem)) throw new UpstreamFailed("the CA's root is not a certificate");
  if (config.rootPem !== undefined && !isSameCertificate(pem, config.rootPem)) {
    throw new UpstreamFailed("the CA's root is not the pinned one");
  }
  memory.root = { baseUrl: config.baseUrl, pem };
  return pem;
}

function asRootUnread(cause: unknown): never {
  throw new UpstreamFailed(upstreamReasonOf(cause), { code: rootUnread, cause });
}

function isCertificate(pem: string): boolean {
  try {
    return subjectOf(pem) !== undefined;
  } catch (error) {
    if (error instanceof InvalidInput) return false;
    throw error;
  }
}
