import { AcmeProblem, AppError, InvalidInput, UpstreamFailed } from '@certloop/contracts';
import { exportSpki } from '@certloop/crypto';
import { parseRetryAfter } from '@certloop/server';
import { createAcmeClient } from '../../acme/acme.client.js';
import {
  type Account,
  changeAccountKey,
  ensureAccount,
  forgetAccountUrl,
} from '../../acme/acme-account.service.js';
import { certificateId } from '../../acme/certificate-id.js';
import { issueOrder } from '../../acme/orders/issue-order.service.js';
import { proofObstacle } from '../../acme/orders/order-plan.js';
import { evenIfAbandoned } from '../../acme/orders/order-steps.js';
import { OrderWaits } from '../../acme/orders/prove-control.service.js';
import { caProblemType, isPermanent, isValidation } from '../../acme/problem-reading.js';
import { createSignedRequests } from '../../acme/signed-request.client.js';
import { type OrderSubject, orderSubject } from '../../judging/csr-rules.js';
import {
  type IssuedCertificate,
  type OrderProgress,
  type Provider,
  type ProviderReport,
  type RenewalAdvice,
  readableText,
  type SignRefusal,
  type UnacceptedCertificate,
} from '../provider.js';
import {
  findIssued,
  type Report,
  refreshAcmeCertificate,
  takeCertificate,
} from './acme-certificates.service.js';
import type { AcmeConfig } from './acme-config.js';
import {
  type AcmeContext,
  type AcmeParts,
  accountDepsOf,
  accountTerms,
  connectionOf,
  knownAccount,
  proverOf,
} from './acme-parts.service.js';
import { revokeByAccount } from './acme-revocation.service.js';
import { externalAccountMissing, probeAcme } from './probe-acme.service.js';

/** ACME CA as provider (RFC 8555): the CSR is sent byte for byte; the service never has its key. */
export function createAcmeProvider(config: AcmeConfig, parts: AcmeParts): Provider {
  const client = createAcmeClient(createSignedRequests(connectionOf(config, parts)));
  const context = { config, parts, client };
  return {
    test: async () => {
      try {
        return { success: true, message: await probeAcme(context) } satisfies ProviderReport;
      } catch (error) {
        return { success: false, message: reasonOf(error) };
      }
    },
    sign: async (csrPem, progress = notStored) => {
      try {
        return { isSigned: true, ...(await sign(context, csrPem, progress)) };
      } catch (error) {
        return { isSigned: false, ...refusalOf(error, parts.clock.now()) };
      }
    },
    refresh: (known) => refreshAcmeCertificate(context, known).catch(asUpstreamFailure),
    findIssued: (order) => findIssued(context, order).catch(asUpstreamFailure),
    changeAccountKey: () =>
      changeAccountKey(accountDepsOf(context), accountTerms(config, parts)).catch(asUpstreamFailure),
    adviseRenewal: (certificatePem) => adviseRenewal(context, certificatePem).catch(asUpstreamFailure),
    revoke: (order) => revokeByAccount(context, order).catch(asUpstreamFailure),
  };
}

/** For orders that no one takes up again. */
const notStored: OrderProgress = { stored: undefined, store: async () => undefined };

async function sign(
  context: AcmeContext,
  csrPem: string,
  progress: OrderProgress,
): Promise<IssuedCertificate> {
  const subject = orderSubject(csrPem);
  const replaces = await preflight(context, subject, progress);
  try {
    return await order(context, { csrPem, subject, replaces }, progress);
  } catch (error) {
    // a CA that has lost its accounts knows none of the orders either
    if (!(await isAccountLost(context, error))) throw error;
    await forgetAccountUrl(context.parts, accountTerms(context.config, context.parts));
    await progress.store(undefined);
    return order(context, { csrPem, subject, replaces }, { ...progress, stored: undefined });
  }
}

function reporter({ onStep }: OrderProgress): Report {
  return async (step, change) => onStep?.(step, change);
}

/** Returns what is known before anything is ordered: the name of the replaced certificate, if the CA has such names. */
async function preflight(
  { config, parts, client }: AcmeContext,
  { identifiers }: OrderSubject,
  progress: OrderProgress,
): Promise<string | undefined> {
  const report = reporter(progress);
  await report('preflight', { status: 'running' });
  const obstacle = proofObstacle(identifiers, proverOf(config, parts).wanted);
  if (obstacle !== undefined) throw new InvalidInput(obstacle, { code: 'unprovable_name' });
  const { meta, renewalInfo } = await client.directory();
  if (meta?.externalAccountRequired === true && config.eab === undefined) throw externalAccountMissing();
  const { profile } = config;
  if (profile !== undefined && meta?.profiles !== undefined && !Object.hasOwn(meta.profiles, profile)) {
    const offered = Object.keys(meta.profiles).join(', ');
    throw new InvalidInput(`the CA has no profile ${profile}; it offers ${offered}`, {
      code: 'unknown_profile',
    });
  }
  await report('preflight', { status: 'ok' });
  const { replaces } = progress;
  return replaces === undefined || renewalInfo === undefined ? undefined : certificateId(replaces);
}

interface Intent {
  readonly csrPem: string;
  readonly subject: OrderSubject;
  readonly replaces: string | undefined;
}

async function order(
  context: AcmeContext,
  intent: Intent,
  progress: OrderProgress,
): Promise<IssuedCertificate> {
  const { config, parts, client } = context;
  const { clock, pause, atMoment } = parts;
  const report = reporter(progress);
  const account = await openAccount(context, intent.subject, report);
  await atMoment('account_known');
  const { profile, timeouts } = config;
  const { certificateUrl } = await issueOrder(
    { client, account, prover: proverOf(config, parts), journal: progress, clock, pause, atMoment },
    { ...intent.subject, profile, replaces: intent.replaces, waitMs: timeouts.orderS * 1000 },
  ).catch((error: unknown) => judgeRefusal(context, account, error));
  // the CA has issued: from here on the certificate is to be known, come what may
  const reportAnyway: Report = (step, change) => evenIfAbandoned(report(step, change));
  const drop = (unaccepted: UnacceptedCertificate) => progress.store(undefined, unaccepted);
  const { csrPem, subject } = intent;
  const wanted = { certificateUrl, csrPem, identifiers: subject.identifiers };
  return takeCertificate(context, account, wanted, { report: reportAnyway, drop });
}

async function openAccount(context: AcmeContext, { csrDer }: OrderSubject, report: Report) {
  await report('account', { status: 'running' });
  const terms = accountTerms(context.config, context.parts);
  const account = await ensureAccount(accountDepsOf(context), terms);
  // RFC 8555 §11.1: the key of an account must not be certified
  if (csrDer.includes(exportSpki(account.privateKey))) {
    throw new InvalidInput("the CSR has the account's own key", { code: 'csr_not_fit_for_acme' });
  }
  await report('account', { status: 'ok' });
  return account;
}

/**
 * Whether the CA has lost the account. Some say so by 500, as of any other fault; then the CA is asked for an account of
 * the key, which makes none. Without an answer the account is not lost.
 */
async function isAccountLost(context: AcmeContext, error: unknown): Promise<boolean> {
  if (!(error instanceof AcmeProblem)) return false;
  if (error.type === 'accountDoesNotExist') return true;
  if (error.members['caStatus'] !== 500) return false;
  try {
    const account = await knownAccount(context);
    return account?.accountUrl !== undefined && (await context.client.findAccount(account)) === undefined;
  } catch (failure) {
    if (failure instanceof AppError) return false;
    throw failure;
  }
}

/** A refusal caused by a key that changed in the meantime does not concern the order: the next try has the new key. */
async function judgeRefusal(context: AcmeContext, used: Account, error: unknown): Promise<never> {
  const refusal = error instanceof UpstreamFailed ? error.cause : error;
  if (!(refusal instanceof AcmeProblem && ['unauthorized', 'malformed'].includes(refusal.type))) throw error;
  const account = await knownAccount(context);
  const isSame = account === undefined || exportSpki(account.privateKey).equals(exportSpki(used.privateKey));
  if (isSame) throw error;
  throw new UpstreamFailed('the key of the account was changed while the order was under way', {
    code: 'account_key_changed',
    cause: error,
  });
}

async function adviseRenewal(
  { client }: AcmeContext,
  certificatePem: string,
): Promise<RenewalAdvice | undefined> {
  const id = certificateId(certificatePem);
  const info = id === undefined ? undefined : await client.renewalInfo(id);
  if (info === undefined) return undefined;
  const { suggestedWindow, explanationURL } = info.body;
  return {
    start: new Date(suggestedWindow.start),
    end: new Date(suggestedWindow.end),
    explanationUrl: explanationURL,
    retryAt: info.retryAt,
  };
}

/** Returns the refusal, with whether and when to ask again. Rethrows an error that is no refusal. */
function refusalOf(error: unknown, now: Date): SignRefusal {
  if (!(error instanceof AppError)) throw error;
  const refusal = { reason: reasonOf(error), code: error.code };
  if (error instanceof OrderWaits) return { ...refusal, isWaiting: true };
  if (error instanceof InvalidInput) return { ...refusal, isPermanent: true };
  if (!(error instanceof AcmeProblem)) return refusal;
  return {
    ...refusal,
    problemType: caProblemType(error),
    isPermanent: isPermanent(error),
    isValidation: isValidation(error),
    isRateLimited: error.type === 'rateLimited',
    notBefore: parseRetryAfter(error.headers['Retry-After'], now),
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  return readableText(error instanceof AcmeProblem ? `the CA refused: ${error.message}` : error.message);
}

function asUpstreamFailure(error: unknown): never {
  if (!(error instanceof AppError) || error instanceof UpstreamFailed) throw error;
  throw new UpstreamFailed(reasonOf(error), { cause: error });
}
