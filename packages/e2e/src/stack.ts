import { access, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StartFailed } from '@certloop/server';
import type { StackPorts } from './config.js';
import { issueToken, keysWork, tokenLasts } from './credential-checks.js';
import { type Credentials, credentialsFile, findCredentials, storeCredentials } from './credentials.js';
import {
  makeAdministrator,
  makeCanaryKey,
  makeMonitorPassword,
  makeProjectKeys,
  prepareFolder,
} from './first-start.js';
import { lockFolder, type Unlock } from './folder-lock.js';
import { type DatabaseUrls, healthUrl, planStack, rootFile, type StackPlan, sqliteFiles } from './plan.js';
import { createRestartLimit } from './restarts.js';
import { type ServiceName, type ServiceProcess, startService } from './service-process.js';
import { choosePorts } from './stack-ports.js';

export interface StackOptions {
  /** Folder for databases, secrets and logs. */
  readonly dataDir: string;
  /** 0 takes a free port. */
  readonly ports: StackPorts;
  readonly databaseUrls?: DatabaseUrls;
  /** Environment that every service inherits. */
  readonly environment: Readonly<Record<string, string>>;
  /** Called with a sentence about each credential that had to be replaced, and each service that is started again. */
  readonly warn?: (sentence: string) => void;
  /** Milliseconds of a clock that counts restarts; the process's own when absent. */
  readonly now?: () => number;
}

/** Milliseconds before a service that ended is started again. */
const restartPauseMs = 500;

/** The three services, running and knowing each other. */
export class Stack {
  readonly dataDir: string;
  readonly #plan: StackPlan;
  readonly #services = new Map<ServiceName, ServiceProcess>();
  readonly #broken: (sentence: string) => void;
  readonly #unlock: Unlock;
  readonly #options: Pick<StackOptions, 'warn' | 'now'>;
  readonly #restarts = new Map<ServiceName, ReturnType<typeof createRestartLimit>>();
  #stopping = false;
  #credentials: Credentials;

  /** Resolves with a sentence when a service has ended that is not started again. */
  readonly broken: Promise<string>;

  constructor(
    plan: StackPlan,
    credentials: Credentials,
    unlock: Unlock,
    options: Pick<StackOptions, 'warn' | 'now'>,
  ) {
    this.#unlock = unlock;
    this.#options = options;
    this.dataDir = plan.dataDir;
    this.#plan = plan;
    this.#credentials = credentials;
    let resolveBroken: (sentence: string) => void = () => undefined;
    this.broken = new Promise((resolve) => {
      resolveBroken = resolve;
    });
    this.#broken = resolveBroken;
  }

  get credentials(): Credentials {
    return this.#credentials;
  }

  get plan(): StackPlan {
    return this.#plan;
  }

  set credentials(credentials: Credentials) {
    this.#credentials = credentials;
  }

  /**
   * Starts a service; resolves when it takes requests. If it ends later and no one stopped it, it is started again, up to
   * five times a minute. Throws StartFailed.
   */
  async start(app: ServiceName): Promise<void> {
    if (this.#stopping) throw new StartFailed('the stack is being stopped');
    const service = startService({
      app,
      environment: this.#environmentOf(app),
      healthUrl: healthUrl(app, this.#plan),
      logFile: join(this.dataDir, 'logs', `${app}.log`),
    });
    this.#services.set(app, service);
    await service.ready;
    if (app === 'dummy-ca') await this.#storeRoot();
    void service.ended.then((sentence) => this.#restart(app, service, sentence));
  }

  async #restart(app: ServiceName, ended: ServiceProcess, sentence: string): Promise<void> {
    const isWanted = () => !this.#stopping && this.#services.get(app) === ended;
    if (!isWanted()) return;
    const { warn, now = () => performance.now() } = this.#options;
    const limit = this.#restarts.get(app) ?? createRestartLimit(now);
    this.#restarts.set(app, limit);
    if (!limit.take()) return this.#broken(`${sentence}, for the sixth time within a minute`);
    warn?.(`${sentence}; starting it again`);
    await pause(restartPauseMs);
    if (!isWanted()) return;
    try {
      await this.start(app);
      warn?.(`${app} is running again`);
    } catch (error) {
      const failed = this.#services.get(app);
      if (failed === undefined || failed === ended) return;
      // it may hang
      await failed.kill();
      await this.#restart(app, failed, (error as Error).message);
    }
  }

  /** The running process of a service. */
  service(app: ServiceName): ServiceProcess {
    const service = this.#services.get(app);
    if (service === undefined) throw new Error(`${app} does not run`);
    return service;
  }

  /** Ends a service on purpose. */
  async end(app: ServiceName, how: 'stop' | 'kill'): Promise<void> {
    const service = this.service(app);
    this.#services.delete(app);
    await service[how]();
  }

  /** Stops all; the manager first, since it calls the others. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#services.get('cert-manager')?.stop();
    await Promise.all([...this.#services.values()].map((service) => service.stop()));
    await this.#unlock();
  }

  async #storeRoot(): Promise<void> {
    const answer = await fetch(`${this.#plan.urls['dummy-ca']}/root`);
    await writeFile(rootFile(this.dataDir), await answer.text());
  }

  #environmentOf(app: ServiceName): Readonly<Record<string, string>> {
    const environment = this.#plan.environments[app];
    if (app !== 'cert-manager') return environment;
    const { readWriteKey, canaryKey } = this.#credentials.checkMonitor;
    return {
      ...environment,
      CHECK_MONITOR_API_KEY: readWriteKey,
      ...(canaryKey !== undefined && { CHECK_MONITOR_CANARY_API_KEY: canaryKey }),
    };
  }
}

/**
 * Starts the three services with their data under one folder; the first time it makes the administrator and
 * the monitor's project. `credentials.json` is written when everything takes requests. Aborting stops what
 * runs. Throws StartFailed in one sentence.
 */
export async function startStack(options: StackOptions, abort?: AbortSignal): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  const secretFiles = await prepareFolder(dataDir);
  const ports = await choosePorts(options.ports);
  const unlock = await lockFolder(dataDir);
  let stack: Stack | undefined;
  try {
    const plan = planStack({ ...options, dataDir, ports, secretFiles });
    stack = new Stack(plan, await credentialsFor(plan, options), unlock, options);
    abort?.throwIfAborted();
    const started = stack;
    abort?.addEventListener('abort', () => void started.stop());
    await startServices(stack, options.warn);
    await storeCredentials(dataDir, stack.credentials);
    return stack;
  } catch (error) {
    await (stack === undefined ? unlock() : stack.stop());
    throw error;
  }
}

/** Starts the manager last, so that its first report finds the monitor. */
async function startServices(stack: Stack, warn: StackOptions['warn']): Promise<void> {
  await Promise.all([stack.start('dummy-ca'), stack.start('check-monitor')]);
  await addCanaryKey(stack);
  await stack.start('cert-manager');
  await settleKeys(stack, warn);
  await settleMonitorPassword(stack);
  await settleToken(stack, warn);
}

/** Credentials of the last start where databases and file are still there, else new ones without a token. */
async function credentialsFor(plan: StackPlan, options: StackOptions): Promise<Credentials> {
  const urls = {
    certManager: { url: plan.urls['cert-manager'], httpsUrl: plan.managerHttpsUrl },
    checkMonitor: { url: plan.urls['check-monitor'] },
  };
  const dummyCa = {
    url: plan.urls['dummy-ca'],
    httpsUrl: plan.httpsUrl,
    rootFile: rootFile(plan.dataDir),
  };
  const stored = await findCredentials(plan.dataDir);
  if (stored !== undefined && (options.databaseUrls !== undefined || (await databasesExist(plan.dataDir)))) {
    return {
      certManager: { ...stored.certManager, ...urls.certManager },
      checkMonitor: { ...stored.checkMonitor, ...urls.checkMonitor },
      dummyCa,
    };
  }
  if (options.databaseUrls !== undefined || (await databasesExist(plan.dataDir)))
    options.warn?.(
      `${credentialsFile(plan.dataDir)} is missing: the administrator's password and the API keys of the monitor's project are replaced, if they exist; its ping key stays. A backup holds this file, too`,
    );
  const [administrator, keys] = await Promise.all([makeAdministrator(plan), makeProjectKeys(plan)]);
  return {
    certManager: { ...urls.certManager, ...administrator, token: '' },
    checkMonitor: { ...urls.checkMonitor, ...keys },
    dummyCa,
  };
}

async function databasesExist(dataDir: string): Promise<boolean> {
  const files = sqliteFiles(dataDir);
  try {
    await Promise.all([access(files.certManager), access(files.checkMonitor)]);
    return true;
  } catch {
    return false;
  }
}

/** A key for the canary where the credentials are those of a version that had none. */
async function addCanaryKey(stack: Stack): Promise<void> {
  const { checkMonitor } = stack.credentials;
  if (checkMonitor.canaryKey !== undefined) return;
  const canaryKey = await makeCanaryKey(stack.plan);
  stack.credentials = { ...stack.credentials, checkMonitor: { ...checkMonitor, canaryKey } };
}

/** Makes new keys when the monitor does not know those of the last start, and configures the manager with them. */
async function settleKeys(stack: Stack, warn: StackOptions['warn']): Promise<void> {
  const { checkMonitor } = stack.credentials;
  if (await keysWork(checkMonitor.url, checkMonitor)) return;
  warn?.(`the monitor refuses the API keys of credentials.json: they are replaced; the ping key stays`);
  const keys = await makeProjectKeys(stack.plan);
  stack.credentials = { ...stack.credentials, checkMonitor: { ...checkMonitor, ...keys } };
  await stack.end('cert-manager', 'stop');
  await stack.start('cert-manager');
}

/** Sets a password of the monitor's first user if the file has none: it is new, or older than the console. */
async function settleMonitorPassword(stack: Stack): Promise<void> {
  const { checkMonitor } = stack.credentials;
  if (checkMonitor.password !== undefined) return;
  const user = await makeMonitorPassword(stack.plan);
  stack.credentials = { ...stack.credentials, checkMonitor: { ...checkMonitor, ...user } };
}

/** A new token if there is none or it nears its end; a new password too when the old one is refused. */
async function settleToken(stack: Stack, warn: StackOptions['warn']): Promise<void> {
  const { certManager } = stack.credentials;
  if (certManager.token !== '' && (await tokenLasts(certManager.url, certManager.token, new Date()))) return;
  const token = await issueToken(certManager.url, certManager);
  if (token !== undefined) {
    stack.credentials = { ...stack.credentials, certManager: { ...certManager, token } };
    return;
  }
  warn?.(`the manager refuses the password of credentials.json: ${certManager.username} gets a new one`);
  const administrator = await makeAdministrator(stack.plan);
  const renewed = await issueToken(certManager.url, administrator);
  if (renewed === undefined) throw new Error('the administrator made a moment ago cannot log in');
  stack.credentials = {
    ...stack.credentials,
    certManager: { ...certManager, ...administrator, token: renewed },
  };
}
