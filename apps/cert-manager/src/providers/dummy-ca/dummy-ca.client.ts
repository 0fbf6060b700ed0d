import {
  AppError,
  abortAfter,
  type CertificateStatus,
  certificateRecordSchema,
  certificateStatusSchema,
  createDummyCaClient,
  type RevocationReasonName,
  signingReplySchema,
  UpstreamFailed,
} from '@certloop/contracts';
import type { CallSlots } from '@certloop/server';
import type { Outgoing } from '../outgoing.client.js';
import { readableText } from '../provider.js';
import type { DummyCaConfig } from './dummy-ca-config.js';

/** Calls of a dummy CA; each throws UpstreamFailed whatever goes wrong, with a sentence fit for people. */
export interface DummyCa {
  requireHealth(): Promise<void>;
  /** PEM of the root. */
  readRoot(): Promise<string>;
  /**
   * Asked again by the same name, the CA gives the same certificate as long as it knows that. `onTurn` comes right
   * before the request; when it rejects, so does the call, and nothing is asked.
   */
  sign(
    csrPem: string,
    requestName?: string,
    onTurn?: () => Promise<void>,
  ): Promise<{ readonly id: string; readonly certificate: string }>;
  /** PEM of a certificate; undefined when the CA does not know it. */
  findCertificate(id: string): Promise<string | undefined>;
  /** Whether a certificate is revoked, by the hex of its serial number; undefined when the CA does not know it. */
  findStatus(serialNumber: string): Promise<RevocationStatus | undefined>;
  /** Revokes a certificate that the CA knows; `not_offered` when its administrative API is off. */
  revoke(
    serialNumber: string,
    reason: RevocationReasonName,
  ): Promise<'revoked' | 'already_revoked' | 'not_offered'>;
}

export interface RevocationStatus extends Pick<CertificateStatus, 'status' | 'reason'> {
  readonly revokedAt: Date | undefined;
}

// Further members of an answer are ignored: a CA may write them in another way.
const signed = signingReplySchema.pick({ id: true, certificate: true });
const found = certificateRecordSchema.pick({ certificate: true });
const known = certificateStatusSchema.pick({ status: true, revoked_at: true, reason: true });

export function connectDummyCa(config: DummyCaConfig, outgoing: Outgoing, slots: CallSlots): DummyCa {
  const { baseUrl, timeoutMs, allowPrivateNetwork: allowPrivate } = config;
  const fetch = outgoing.fetchFor({ address: baseUrl, allowPrivate });
  const client = createDummyCaClient({ baseUrl, timeoutMs, fetch });
  const inSlot = <T>(work: () => Promise<T>): Promise<T> =>
    slots.run(config.maxConcurrency, () => abortAfter(timeoutMs), work).catch(asBusy);
  const call = <T>(work: () => Promise<T>): Promise<T> => inSlot(() => work().catch(asUpstreamFailure));
  return {
    requireHealth: async () => void (await call(() => client.getHealth())),
    readRoot: async () => (await call(() => client.getRoot())).body,
    sign: async (csrPem, requestName, onTurn) => {
      let status = 0;
      const noting: typeof fetch = async (...input) => {
        const answer = await fetch(...input);
        ({ status } = answer);
        return answer;
      };
      const signing = createDummyCaClient({ baseUrl, timeoutMs, fetch: noting });
      const csr = Buffer.from(csrPem, 'utf8').toString('base64');
      const order = { csr, action: 'sign' as const, validity_days: config.validityDays };
      // for another validity another certificate is wanted
      const headers =
        requestName === undefined ? {} : { 'idempotency-key': `${requestName}.${config.validityDays}` };
      return inSlot(async () => {
        await onTurn?.();
        return signing
          .signCsr({ body: order, headers })
          .then(({ body }) => expected(signed.safeParse(body)))
          .catch((error: unknown) => (mayBeSigned.has(status) ? asLost(error) : asUpstreamFailure(error)));
      });
    },
    findCertificate: async (id) => {
      const reply = await call(() => client.getCertificate({ params: { id } }).catch(absentAsUndefined));
      return reply && expected(found.safeParse(reply.body)).certificate;
    },
    findStatus: async (serialNumber) => {
      const params = { serial_number: serialNumber };
      const reply = await call(() => client.getCertificateStatus({ params }).catch(absentAsUndefined));
      if (reply === undefined) return undefined;
      const { status, reason, revoked_at: at } = expected(known.safeParse(reply.body));
      return { status, reason, revokedAt: at === undefined ? undefined : new Date(at) };
    },
    revoke: (serialNumber, reason) =>
      call(() =>
        client
          .revokeCertificate({ body: { serialNumber, reason } })
          .then(() => 'revoked' as const)
          .catch(revocationRefusal),
      ),
  };
}

/** Code of a failure after which the CA may have issued: its answer, or that of a gateway before it, cannot be read. */
export const answerLost = 'answer_lost';

// a CA that has signed, or a gateway that does not know whether the CA behind it has
const mayBeSigned: ReadonlySet<number> = new Set([200, 502, 504]);

function asLost(error: unknown): never {
  if (!(error instanceof AppError)) return asBusy(error);
  const message = readableText(`the CA may have issued, but its answer is lost: ${error.message}`);
  throw new UpstreamFailed(message, { code: answerLost, cause: error });
}

function absentAsUndefined(error: unknown): undefined {
  if (error instanceof AppError && error.kind === 'not_found') return undefined;
  throw error;
}

function revocationRefusal(error: unknown): 'already_revoked' | 'not_offered' {
  if (error instanceof AppError && error.kind === 'conflict') return 'already_revoked';
  if (error instanceof AppError && error.kind === 'not_found') return 'not_offered';
  throw error;
}

/** A refusal of the CA is none of ours, so it must not keep its kind. */
function asUpstreamFailure(error: unknown): never {
  if (error instanceof UpstreamFailed) {
    const timedOut = error.kind === 'upstream_timeout';
    throw new UpstreamFailed(readableText(`the CA failed: ${error.message}`), { timedOut, cause: error });
  }
  if (error instanceof AppError) {
    throw new UpstreamFailed(readableText(`the CA refused: ${error.message}`), { cause: error });
  }
  return asBusy(error);
}

/** The failure of a call whose time was over. */
function asBusy(error: unknown): never {
  if (error instanceof DOMException) {
    throw new UpstreamFailed('the CA is busy: no call finished in time', {
      timedOut: true,
      cause: error,
    });
  }
  throw error;
}

function expected<T>(result: { readonly success: boolean; readonly data?: T }): T {
  if (result.success && result.data !== undefined) return result.data;
  throw new UpstreamFailed("the CA's answer does not have the expected form");
}
