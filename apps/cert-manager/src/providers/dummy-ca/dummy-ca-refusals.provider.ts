import { AppError, InvalidInput, UpstreamFailed } from '@certloop/contracts';
import { parseRetryAfter } from '@certloop/server';
import { type IssuedChain, readAnswered } from '../../judging/issued-certificate.js';
import { readableText, type SignRefusal, type UnacceptedCertificate } from '../provider.js';
import { answerLost } from './dummy-ca.client.js';

export function readAnswer(text: string, keySha256: string, now: Date): IssuedChain {
  try {
    return readAnswered(text, keySha256, now);
  } catch (cause) {
    if (!(cause instanceof InvalidInput)) throw cause;
    throw new UpstreamFailed(readableText(`the CA's answer is not a certificate: ${cause.message}`), {
      cause,
    });
  }
}

/** Code of a failure to read the root by which a certificate is to be judged that the CA has issued already. */
export const rootUnread = 'root_unread';

/** A certificate that the CA issued, and that is not what was asked for. */
export class NotAccepted extends UpstreamFailed {
  readonly certificate: UnacceptedCertificate;

  constructor(certificate: UnacceptedCertificate) {
    super(certificate.reason);
    this.certificate = certificate;
  }
}

/** A CA that finds fault with the request itself will find it again. */
export function refusalOf(error: unknown, now: Date): SignRefusal {
  const reason = upstreamReasonOf(error);
  const { cause, code } = error as UpstreamFailed;
  if (error instanceof NotAccepted) return { reason, unaccepted: error.certificate };
  if (code === rootUnread || code === answerLost) return { reason, mayHaveIssued: true };
  if (!(cause instanceof AppError)) return { reason };
  return {
    reason,
    isPermanent: cause.kind === 'invalid_input',
    mayHaveIssued: isAnswerLost(cause),
    isRateLimited: cause.kind === 'too_many_requests',
    notBefore: parseRetryAfter(cause.headers['Retry-After'], now),
  };
}

/** Whether a CA that was asked did not answer in time, or its connection broke; not that it could not be reached. */
function isAnswerLost(error: AppError): boolean {
  if (error.kind === 'upstream_timeout') return true;
  let fault: unknown = error;
  while (fault instanceof Object && 'cause' in fault && fault.cause !== undefined) fault = fault.cause;
  return fault instanceof Object && 'code' in fault && brokenCodes.includes(String(fault.code));
}

const brokenCodes = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

export function upstreamReasonOf(error: unknown): string {
  if (error instanceof UpstreamFailed) return error.message;
  throw error;
}
