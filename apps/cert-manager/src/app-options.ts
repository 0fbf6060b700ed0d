import type { Database } from '@certloop/db';
import type { Clock, Logger, Metrics, ScryptCost, SteadyClock } from '@certloop/server';
import type { Operation } from './access/route-needs.js';
import type { Pause } from './acme/orders/order-run.service.js';
import type { OrderMoment } from './acme/orders/order-steps.js';
import type { Config } from './config.js';
import type { RenewalStep } from './renewals/queue/renew-certificate.service.js';

/** Parts of which the service is built. */
export interface AppOptions {
  readonly config: Config;
  /** Already migrated. */
  readonly database: Database;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The same clock, if it is compared with others; when absent, it is always right. */
  readonly steady?: SteadyClock;
  /** Where the service counts; a place of its own when absent. */
  readonly metrics?: Metrics;
  /** Built pages of the console; only the API is served when absent. */
  readonly consoleFolder?: string | undefined;
  /** Cost of hashing a password; the usual one when absent. */
  readonly passwordCost?: ScryptCost;
  /** Shows the operator one line, such as where the setup token is; standard error when absent. */
  readonly announce?: (line: string) => void;
  readonly renewals?: RenewalOptions;
  readonly orders?: OrderOptions;
  /** Milliseconds until an operation must have an answer, as in `http/answer-times.ts` when absent. */
  readonly answerMs?: (operation: Operation) => number;
  /** Look-up of all addresses of a server's name; that of the system when absent. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/** How ACME orders are worked on, where it differs from the usual. */
export interface OrderOptions {
  /** Waits for the CA. */
  readonly pause?: Pause;
  /** Milliseconds that a worker may be silent before its job passes to others; 1 minute when absent. */
  readonly leaseMs?: number;
  /** Called at each moment of an order; an error that it throws ends the work as a crash would. */
  readonly atMoment?: (moment: OrderMoment) => Promise<void>;
}

/** How the queue is worked on, where it differs from the usual. */
export interface RenewalOptions {
  /** Milliseconds that a worker may be silent before its entries pass to others; as configured when absent. */
  readonly leaseMs?: number;
  /** Renewals under way at once by one provider; 8 when absent. */
  readonly concurrency?: number;
  /** Milliseconds for which one run begins new work; 30 s when absent. */
  readonly budgetMs?: number;
  /** Called at each step of a renewal; an error that it throws ends the work as a crash would. */
  readonly atStep?: (step: RenewalStep, entry: { readonly id: string }) => Promise<void>;
}
