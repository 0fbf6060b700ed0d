import { AppError, type RequestStep, type StepStatus } from '@certloop/contracts';

/** Steps of a request that are taken at the CA. */
export type OrderStep = Extract<
  RequestStep,
  'preflight' | 'account' | 'order' | 'challenges' | 'finalize' | 'download' | 'verify'
>;

/** Result of a step, with the details that belong to it. */
export interface StepChange {
  readonly status: StepStatus;
  readonly detail?: string;
  /** Of an order. */
  readonly url?: string;
  /** Challenges by the name that they prove. */
  readonly items?: Readonly<Record<string, ChallengeItem>>;
}

/** One challenge, and what someone is to publish for it. */
export interface ChallengeItem {
  readonly type: string;
  readonly status: StepStatus;
  readonly detail?: string;
  readonly publish?: { readonly place: string; readonly content: string };
}

/**
 * The subject of an order was deleted, or the order was cancelled: nothing more may be begun for it, and its proofs are
 * useless.
 */
export class OrderAbandoned extends AppError {
  constructor(reason = 'the FQDN was deleted while its certificate was being requested') {
    super('not_found', reason, { code: 'order_abandoned' });
  }
}

/**
 * Waits for a report on an order whose CSR is with the CA. Such an order goes on although what it is for was deleted:
 * the audit log names the certificate that comes of it.
 */
export async function evenIfAbandoned(reported: Promise<void>): Promise<void> {
  await reported.catch((error: unknown) => {
    if (!(error instanceof OrderAbandoned)) throw error;
  });
}

/** Whether the step is the last one before the CA is given the CSR, and may issue. */
export function isSendingCsr(step: OrderStep, { status }: StepChange): boolean {
  return step === 'finalize' && status === 'running';
}

/** Where an order stores how far it has come. */
export interface OrderJournal {
  readonly stored: unknown;
  /**
   * Resolves once the record is on disk; undefined forgets an order that is over. Records in the same transaction why a
   * certificate may have been issued that cannot be obtained. Rejects with OrderAbandoned.
   */
  store(
    record: Readonly<Record<string, unknown>> | undefined,
    unaccepted?: { readonly reason: string },
  ): Promise<void>;
  /** Whether another request or renewal holds the order of the address. */
  readonly isHeldElsewhere?: ((orderUrl: string) => Promise<boolean>) | undefined;
  /** The caller reports that they have published what the order waits for. */
  readonly isConfirmed?: boolean | undefined;
  /** Called with every step as it goes. */
  readonly onStep?: ((step: OrderStep, change: StepChange) => Promise<void>) | undefined;
}

/**
 * Moments of an order between what is written here and what is sent to the CA, in their order. The process may
 * end at each of them; the order is taken up by what is on disk.
 */
export const orderMoments = [
  'account_known',
  'ordering',
  'ordered',
  'order_stored',
  'proofs_stored',
  'published',
  'answered',
  'finalizing',
  'finalized',
  'downloaded',
] as const;
export type OrderMoment = (typeof orderMoments)[number];
