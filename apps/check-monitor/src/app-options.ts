import type { Database } from '@certloop/db';
import type { Logger, MetricsAccess, Passwords } from '@certloop/server';
import type { DispatchDeps } from './alerts/dispatch.service.js';
import type { Config } from './config.js';
import type { Clock } from './instants.js';
import type { ServiceMetrics } from './metrics/service-metrics.service.js';
import type { Notifier } from './notifications/notifier.service.js';

/** Settings that the app itself needs; listening is done around it. */
export type AppConfig = Pick<
  Config,
  | 'addresses'
  | 'secret'
  | 'siteName'
  | 'badgeLabel'
  | 'checkLimit'
  | 'projectLimit'
  | 'pingLimit'
  | 'pingBodyLimit'
  | 'trustedProxies'
  | 'metricsKey'
  | 'deliveryWorkers'
  | 'digestPerMinute'
> &
  Partial<MetricsAccess> &
  Partial<Pick<Config, 'formerSecret' | 'prometheusEnabled' | 'sendsMail' | 'managerUrl' | 'mail'>> &
  Pick<DispatchDeps, 'slowMs'>;

export interface AppOptions {
  readonly config: AppConfig;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly notifier: Notifier;
  /** As usual when absent. */
  readonly passwords?: Passwords;
  /** Where the service counts; a place of its own when absent. */
  readonly watch?: ServiceMetrics;
  /** How the clocks differ, in a sentence; undefined while they agree, and always when absent. */
  readonly findClockFault?: () => string | undefined;
  /** Built pages of the console; only the API is served when absent. */
  readonly consoleFolder?: string | undefined;
}
