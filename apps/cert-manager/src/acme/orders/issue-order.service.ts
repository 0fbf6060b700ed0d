import { type AcmeOrder, AcmeProblem, AppError } from '@certloop/contracts';
import type { Resource } from '../acme-operations.js';
import { isForNow } from '../problem-reading.js';
import { type AuthorizationAt, planOrder } from './order-plan.js';
import { type CurrentOrder, type OrderDeps, OrderRun, type OrderTerms } from './order-run.service.js';
import { openOrder } from './place-order.service.js';
import { OrderWaits, proveControl, reportProven, withdrawProofs } from './prove-control.service.js';

/** Result of an order. */
export interface IssuedOrder {
  readonly order: AcmeOrder;
  readonly certificateUrl: string;
}

/**
 * Takes an order as far as its certificate (RFC 8555 §7.4): one that was begun goes on where it was left, found by
 * what is on disk, and no second one is placed for it. Throws AcmeProblem when the CA refuses, UpstreamFailed when
 * it does not answer, OrderWaits; what the journal throws passes through.
 */
export async function issueOrder(deps: OrderDeps, terms: OrderTerms): Promise<IssuedOrder> {
  const run = new OrderRun(deps, terms);
  try {
    const issued = await goOn(run, await openOrder(run));
    await withdrawProofs(run);
    return issued;
  } catch (error) {
    if (error instanceof AppError && !(error instanceof OrderWaits)) await clear(run, error);
    throw error;
  }
}

async function goOn(run: OrderRun, first: CurrentOrder): Promise<IssuedOrder> {
  const { client, account } = run.deps;
  const look = () => run.readPatiently(() => client.getOrder(account, first.url));
  let order: Resource<AcmeOrder> = first;
  for (;;) {
    const authorizations = await readAuthorizations(run, order.body);
    const move = planOrder(order.body, authorizations, run.answered);
    await reportProven(run, order.body, authorizations);
    switch (move.kind) {
      case 'fail':
        throw move.problem;
      case 'download':
        await run.report('finalize', { status: 'ok' });
        return { order: order.body, certificateUrl: move.certificateUrl };
      case 'prove':
        await proveControl(run, move.authorizations);
        run.looks = 0;
        break;
      case 'finalize':
        order = (await finalize(run, order.body)) ?? (await look());
        run.looks = 0;
        continue;
      case 'wait':
        await run.waitToLook(order.retryAt);
    }
    order = await look();
  }
}

/** Authorizations say what is to be proven, and what went wrong; in between no one needs them. */
function readAuthorizations(
  run: OrderRun,
  { status, authorizations }: AcmeOrder,
): Promise<AuthorizationAt[]> {
  if (status !== 'pending' && status !== 'invalid') return Promise.resolve([]);
  const { client, account } = run.deps;
  return Promise.all(
    authorizations.map(async (url) => {
      const { body } = await run.readPatiently(() => client.getAuthorization(account, url));
      return { url, authorization: body };
    }),
  );
}

/** The order after the CSR was sent; undefined when the CA says that it is not ready for it. */
async function finalize(run: OrderRun, order: AcmeOrder): Promise<Resource<AcmeOrder> | undefined> {
  const { client, account, atMoment } = run.deps;
  await run.report('finalize', { status: 'running' });
  await run.store({ isFinalizing: true });
  await atMoment('finalizing');
  try {
    const finalized = await client.finalize(account, order.finalize, run.terms.csrDer);
    await atMoment('finalized');
    return finalized;
  } catch (error) {
    if (!(error instanceof AcmeProblem && error.type === 'orderNotReady')) throw error;
    await run.waitAfterFailure();
    return undefined;
  }
}

/** An order that the CA gave up is forgotten; one that only hangs goes on in the next try. */
async function clear(run: OrderRun, error: AppError): Promise<void> {
  await withdrawProofs(run);
  if (!(error instanceof AcmeProblem) || isForNow(error)) return;
  const { mayHaveIssued } = run;
  const reason = `the CA does not show the order: ${error.message}`;
  await run.deps.journal.store(undefined, mayHaveIssued ? { reason } : undefined);
}
