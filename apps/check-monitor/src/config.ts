import {
  addressRanges,
  baseAddress,
  ConfigError,
  type ConfigOf,
  deriveEncryptionKey,
  type Environment,
  flag,
  type KeyRing,
  keyRing,
  keyRingOf,
  logLevel,
  metricsSettings,
  nameSetting,
  portNumber,
  readConfig,
  setting,
  tracingSettings,
  unknownSettings,
  wholeNumber,
} from '@certloop/server';
import { z } from 'zod';
import type { Addresses } from './checks/check-view.js';
import type { SenderAccounts } from './integrations/sender-accounts.js';
import { messageSettings } from './message-settings.js';
import type { NotifierConfig } from './notifications/delivery.service.js';
import type { MailListenerOptions } from './pings/mail/mail-requests.responder.js';

const storage = {
  databaseUrl: setting(
    'CHECK_MONITOR_DATABASE_URL',
    z.string().default('sqlite:./data/check-monitor.sqlite'),
    'sqlite:<file> or postgres://…',
  ),
  secret: setting(
    'CHECK_MONITOR_SECRET',
    z.string('is missing').min(16, 'must have at least 16 characters'),
    'secret that hashes API keys and signs badge addresses; if you change it, all of them become invalid',
  ),
  formerSecret: setting(
    'CHECK_MONITOR_FORMER_SECRET',
    z.string().optional(),
    'earlier secret, of any length, such as SECRET_KEY of an imported Healthchecks; keys and links that were created with it remain valid, and it decrypts stored secrets',
  ),
  encryptionKeys: setting(
    'CHECK_MONITOR_ENCRYPTION_KEYS',
    keyRing('check-monitor').optional(),
    'keys that encrypt stored secrets, one id:base64 per line with 32 bytes each; the first one encrypts, all decrypt; when absent, a key that follows from CHECK_MONITOR_SECRET',
  ),
} as const;

const migratesAtStart = setting(
  'CHECK_MONITOR_MIGRATE_AT_START',
  flag.default(true),
  'false: only `check-monitor migrate` runs migrations, and the service does not start while any are pending',
);

/** How pings come in by mail. */
const inboundMail = {
  mailPort: setting(
    'CHECK_MONITOR_SMTP_PORT',
    portNumber.optional(),
    'TCP port for pings by mail; none are accepted when absent',
  ),
  mailHost: setting(
    'CHECK_MONITOR_SMTP_HOST',
    z.string().optional(),
    'address to listen on for mail; that of HTTP when absent',
  ),
  mailDomain: setting(
    'CHECK_MONITOR_PING_MAIL_DOMAIN',
    z.string().optional(),
    'domain of the mail addresses of checks; the host of the site root when absent',
  ),
  mailSizeLimit: setting(
    'CHECK_MONITOR_SMTP_SIZE_LIMIT',
    wholeNumber(1000, 100_000_000).default(10_000_000),
    'maximum size of a mail in bytes',
  ),
} as const;

/** Every environment variable of this service. A secret may also come from the file that NAME_FILE names. */
export const settings = {
  ...storage,
  migratesAtStart,
  ...messageSettings,
  ...inboundMail,
  host: setting('CHECK_MONITOR_HOST', z.string().default('127.0.0.1'), 'address to listen on'),
  port: setting('CHECK_MONITOR_PORT', portNumber.default(3001), 'TCP port to listen on'),
  siteRoot: setting(
    'CHECK_MONITOR_SITE_ROOT',
    baseAddress.optional(),
    'address at which clients reach this service; http://<host>:<port> when absent',
  ),
  pingEndpoint: setting(
    'CHECK_MONITOR_PING_ENDPOINT',
    baseAddress.optional(),
    'address that ping addresses begin with; <site root>/ping when absent',
  ),
  managerUrl: setting(
    'CHECK_MONITOR_MANAGER_URL',
    baseAddress.optional(),
    'address of the certificate manager that browsers use, for links to its console; none when absent',
  ),
  siteName: setting(
    'CHECK_MONITOR_SITE_NAME',
    z.string().max(100).default('CertLoop'),
    'name of this service in messages',
  ),
  badgeLabel: setting(
    'CHECK_MONITOR_BADGE_LABEL',
    z.string().max(100).optional(),
    'label of the badge of all checks of a project; the site name when absent',
  ),
  checkLimit: setting(
    'CHECK_MONITOR_CHECK_LIMIT',
    wholeNumber(0, 1_000_000_000).default(20),
    'maximum checks of an account without an individual limit',
  ),
  projectLimit: setting(
    'CHECK_MONITOR_PROJECT_LIMIT',
    wholeNumber(0, 1_000_000).default(100),
    'maximum projects that a user can own by `/api/account`; the command line has no limit',
  ),
  pingLimit: setting(
    'CHECK_MONITOR_PING_LIMIT',
    wholeNumber(1, 1_000_000).default(100),
    'stored pings of each check of an account without an individual limit',
  ),
  pingBodyLimit: setting(
    'CHECK_MONITOR_PING_BODY_LIMIT',
    wholeNumber(0, 100_000_000).default(10_000),
    'stored bytes of the body of a ping',
  ),
  trustedProxies: setting(
    'CHECK_MONITOR_TRUSTED_PROXIES',
    addressRanges.default([]),
    'addresses or CIDR ranges whose X-Forwarded-For and X-Forwarded-Proto count, separated by commas',
  ),
  prometheusEnabled: setting(
    'CHECK_MONITOR_PROMETHEUS_ENABLED',
    flag.default(true),
    'false: the state of projects at /projects/<uuid>/metrics/ is 404; `/metrics` of the service stays',
  ),
  metricsKey: setting(
    'CHECK_MONITOR_METRICS_KEY',
    z.string().optional(),
    'key for the counters at /api/v3/metrics/; they are closed when absent',
  ),
  tickMs: setting(
    'CHECK_MONITOR_TICK_MS',
    wholeNumber(10, 3_600_000).default(2000),
    'milliseconds between two runs of the alert loop',
  ),
  logLevel: setting(
    'CHECK_MONITOR_LOG_LEVEL',
    logLevel.default('info'),
    'minimum log level, from trace to fatal, or silent',
  ),
  ...metricsSettings,
  ...tracingSettings,
} as const;

/** Configuration of the service, from its environment. */
export type Config = Omit<Values, Derived> & {
  readonly addresses: Addresses;
  readonly badgeLabel: string;
  readonly delivery: NotifierConfig;
  readonly deliveryWorkers: number;
  readonly digestPerMinute: number;
  /** Whether messages can be sent by mail. */
  readonly sendsMail: boolean;
  /** Undefined when no pings are taken by mail. */
  readonly mail: MailListenerOptions | undefined;
};

type Derived =
  | keyof typeof messageSettings
  | keyof typeof inboundMail
  | 'siteRoot'
  | 'pingEndpoint'
  | 'badgeLabel';

type Values = ConfigOf<typeof settings>;

/** Configuration that the command line needs: where everything is stored, and the secret. */
export type StorageConfig = ConfigOf<typeof storage & { readonly migratesAtStart: typeof migratesAtStart }>;

/** Configuration of the service. Throws ConfigError that lists every fault. */
export function loadConfig(environment: Environment): Config {
  const { siteRoot, pingEndpoint, badgeLabel, ...config } = readConfig(settings, environment);
  const root = siteRoot ?? ownAddress(config);
  return {
    ...config,
    badgeLabel: badgeLabel ?? config.siteName,
    addresses: { siteRoot: root, pingEndpoint: `${pingEndpoint ?? `${root}/ping`}/` },
    delivery: deliveryOf(config, root),
    sendsMail: config.smtpUrl !== undefined,
    mail: mailOf(config, root),
  };
}

function mailOf(config: Pick<Values, keyof typeof inboundMail | 'host'>, siteRoot: string): Config['mail'] {
  const { mailPort: port, mailHost, mailDomain, mailSizeLimit: sizeLimit } = config;
  if (port === undefined) return undefined;
  return { port, host: mailHost ?? config.host, domain: mailDomain ?? new URL(siteRoot).hostname, sizeLimit };
}

type DeliveryValues = Pick<Values, keyof typeof messageSettings | 'siteName' | 'secret'>;

function deliveryOf(config: DeliveryValues, siteRoot: string): NotifierConfig {
  const { siteName, logoUrl, secret, allowPrivateTargets, egressProxy, disabledKinds } = config;
  return {
    site: { siteName, siteRoot, logoUrl, secret },
    secret,
    allowPrivateTargets,
    egressProxy,
    disabledKinds,
    senderAccounts: senderAccountsOf(config, siteRoot),
  };
}

/** Throws ConfigError when half of an account is given. */
function senderAccountsOf(config: DeliveryValues, siteRoot: string): SenderAccounts {
  const { siteName, smtpUrl, bounceDomain, telegramToken, pushoverToken, ntfyToken, signalSocket } = config;
  const { matrixHomeserver: homeserverUrl, matrixAccessToken: accessToken } = config;
  if ((homeserverUrl === undefined) !== (accessToken === undefined)) {
    const names = 'CHECK_MONITOR_MATRIX_HOMESERVER and CHECK_MONITOR_MATRIX_ACCESS_TOKEN';
    throw new ConfigError([`${names} belong together: set both or neither`]);
  }
  const from =
    config.mailFrom ?? `"${siteName.replaceAll(/["\\]/g, '')}" <alerts@${new URL(siteRoot).hostname}>`;
  const isMatrix = homeserverUrl !== undefined && accessToken !== undefined;
  return {
    smtp: smtpUrl === undefined ? undefined : { url: smtpUrl, from },
    matrix: isMatrix ? { homeserverUrl, accessToken } : undefined,
    bounceDomain,
    telegramToken,
    pushoverToken,
    ntfyToken,
    signalSocket,
  };
}

type RingValues = Pick<StorageConfig, 'secret' | 'encryptionKeys'> &
  Partial<Pick<StorageConfig, 'formerSecret'>>;

/** Keys that encrypt what is secret at rest; those that follow from the secrets come last, and always decrypt. */
export function keyRingFor({ secret, formerSecret, encryptionKeys }: RingValues): KeyRing {
  const secrets = formerSecret === undefined ? [secret] : [secret, formerSecret];
  const [derived, ...former] = secrets.map((one) => deriveEncryptionKey('check-monitor', one));
  const own = encryptionKeys === undefined ? [] : [encryptionKeys.active, ...encryptionKeys.keys.values()];
  const [active, ...others] = [...own, derived, ...former].filter((key) => key !== undefined);
  if (active === undefined) throw new Error('there is no secret');
  return keyRingOf('check-monitor', [active, ...others]);
}

/** How messages name the settings that keys come from. */
export function keyNames(environment: Environment) {
  return {
    secret: nameSetting('CHECK_MONITOR_SECRET', environment),
    keys: nameSetting('CHECK_MONITOR_ENCRYPTION_KEYS', environment),
  };
}

/** Variables that look like settings of this service but are not: most likely misspelt. */
export function misspeltSettings(environment: Environment): string[] {
  return unknownSettings('CHECK_MONITOR_', settings, environment);
}

/** Configuration of the command line. Throws ConfigError that lists every fault. */
export function loadStorageConfig(environment: Environment): StorageConfig {
  return readConfig({ ...storage, migratesAtStart }, environment);
}

/** A host that stands for every address of the machine is not an address to publish. */
function ownAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  const isEvery = host === '0.0.0.0' || host === '::';
  const name = host.includes(':') && !isEvery ? `[${host}]` : host;
  return `http://${isEvery ? 'localhost' : name}:${port}`;
}

/** The environment of this process. */
export const environment: Environment = process.env;
