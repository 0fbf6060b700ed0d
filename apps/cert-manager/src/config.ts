import { dirname, join } from 'node:path';
import {
  addressRanges,
  baseAddress,
  ConfigError,
  type ConfigOf,
  type Environment,
  flag,
  keyRing,
  logLevel,
  metricsSettings,
  nameSetting,
  portFault,
  portNumber,
  readConfig,
  setting,
  tracingSettings,
  unknownSettings,
  wholeNumber,
  wordList,
} from '@certloop/server';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { httpsFaults, httpsSettings } from './https-settings.js';
import { noticeFaults, noticeSettings } from './notice-settings.js';
import { policyText } from './policies/default-policy-setting.js';
import { probeSettings } from './probe-settings.js';
import { watchSettings } from './watch-settings.js';

const bytes = wholeNumber(1, 1_073_741_824);

/** Address that this service calls. */
const calledAddress = baseAddress.superRefine((address, context) => {
  const message = portFault(address);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** Every environment variable of this service. A secret may also come from the file that NAME_FILE names. */
export const settings = {
  host: setting('CERT_MANAGER_HOST', z.string().default('127.0.0.1'), 'address to listen on'),
  port: setting(
    'CERT_MANAGER_PORT',
    portNumber.default(3000),
    'TCP port to listen on; 0 selects a free port',
  ),
  publicUrl: setting(
    'CERT_MANAGER_PUBLIC_URL',
    baseAddress.optional(),
    'address that browsers use, such as https://certs.example.org; https makes the session cookie Secure',
  ),
  ...httpsSettings,
  trustedProxies: setting(
    'CERT_MANAGER_TRUSTED_PROXIES',
    addressRanges.default([]),
    'addresses or CIDR ranges of proxies whose X-Forwarded-For counts, separated by commas',
  ),
  databaseUrl: setting(
    'CERT_MANAGER_DATABASE_URL',
    z.string().default('sqlite:./data/cert-manager.sqlite'),
    'sqlite:<file> or postgres://user:password@host/database',
  ),
  migratesAtStart: setting(
    'CERT_MANAGER_MIGRATE_AT_START',
    flag.default(true),
    'false: only `cert-manager migrate` runs migrations, and the service does not start while any are pending',
  ),
  logLevel: setting(
    'LOG_LEVEL',
    logLevel.default('info'),
    'minimum log level, from trace to fatal, or silent',
  ),
  ...metricsSettings,
  ...tracingSettings,

  authMode: setting(
    'AUTH_MODE',
    z.enum(['required', 'open'], 'must be required or open').default('required'),
    'required: callers sign in; open: every caller is an administrator, for development only',
  ),
  openIsUnderstood: setting(
    'AUTH_OPEN_I_UNDERSTAND',
    z
      .literal('yes', 'must be yes')
      .optional()
      .transform((text) => text === 'yes'),
    'yes: allow AUTH_MODE=open in production or on an address that others can reach',
  ),
  openHosts: setting(
    'AUTH_OPEN_HOSTS',
    wordList.default([]).transform((hosts) => hosts.map((host) => host.toLowerCase())),
    'host names that AUTH_MODE=open accepts in addition to localhost, separated by commas',
  ),
  nodeEnv: setting('NODE_ENV', z.string().optional(), 'production forbids AUTH_MODE=open'),
  bootstrapUsername: setting(
    'BOOTSTRAP_ADMIN_USERNAME',
    z.string().optional(),
    'user name of the administrator that the first start creates',
  ),
  bootstrapEmail: setting(
    'BOOTSTRAP_ADMIN_EMAIL',
    z.string().optional(),
    'mail address of the administrator that the first start creates',
  ),
  bootstrapPassword: setting(
    'BOOTSTRAP_ADMIN_PASSWORD',
    z.string().optional(),
    'password of the administrator that the first start creates',
  ),
  setupTokenPath: setting(
    'CERT_MANAGER_SETUP_TOKEN_FILE',
    z.string().optional(),
    'file for the one-time setup token; setup-token in the folder of the database when absent',
  ),
  passwordMinLength: setting(
    'PASSWORD_MIN_LENGTH',
    wholeNumber(8, 128).default(8),
    'minimum length of a password in characters, 8 to 128',
  ),
  auditDelete: setting(
    'AUDIT_DELETE',
    z.enum(['allow', 'deny'], 'must be allow or deny').default('allow'),
    'deny: the audit log cannot be emptied',
  ),

  issuancePolicyDefault: setting(
    'ISSUANCE_POLICY_DEFAULT',
    policyText.optional(),
    'issuance policy, as JSON, of all spaces that have none of their own; every name and provider when absent',
  ),
  encryptionKeys: setting(
    'ENCRYPTION_KEYS',
    keyRing('cert-manager').optional(),
    'keys that encrypt stored secrets, one id:base64 per line with 32 bytes each; the first one encrypts, all decrypt',
  ),
  dummyCaUrl: setting(
    'DUMMY_CA_URL',
    calledAddress.optional(),
    'address of dummy-ca for the provider dummy-ca',
  ),
  acmeDirectoryUrl: setting(
    'ACME_DIRECTORY_URL',
    calledAddress.optional(),
    'ACME directory for the provider acme',
  ),
  http01Port: setting(
    'HTTP01_PORT',
    portNumber.optional(),
    'additional TCP port that serves only http-01 challenges, such as 80; none when absent',
  ),
  checkMonitorUrl: setting(
    'CHECK_MONITOR_URL',
    calledAddress.optional(),
    'address of the monitor that receives pings of every renewal run and every certificate',
  ),
  monitorPublicUrl: setting(
    'CHECK_MONITOR_PUBLIC_URL',
    baseAddress.optional(),
    'address of the monitor that browsers use, for links to its console; none when absent',
  ),
  checkMonitorApiKey: setting(
    'CHECK_MONITOR_API_KEY',
    z.string().optional(),
    'read-write key of the project in the monitor for the checks',
  ),
  heartbeatSeconds: setting(
    'HEARTBEAT_SECONDS',
    wholeNumber(1, 86_400).default(60),
    'seconds between two runs of the renewal queue, each reported to the monitor',
  ),
  renewalLeaseSeconds: setting(
    'RENEWAL_LEASE_SECONDS',
    wholeNumber(5, 3600).default(120),
    'seconds after which other processes take over the renewals of a silent process',
  ),

  ...watchSettings,
  ...noticeSettings,
  ...probeSettings,

  requestsPerMinute: setting(
    'CERT_MANAGER_REQUESTS_PER_MINUTE',
    wholeNumber(0, 1_000_000).default(0),
    'requests per minute of one user, counted by each process; 0: no limit',
  ),
  spaceRequestsPerMinute: setting(
    'CERT_MANAGER_SPACE_REQUESTS_PER_MINUTE',
    wholeNumber(0, 1_000_000).default(0),
    'requests per minute of all users on one space, counted by each process; 0: no limit',
  ),
  bodyBytes: setting(
    'CERT_MANAGER_BODY_BYTES',
    bytes.default(262_144),
    'maximum size of a JSON body in bytes',
  ),
  csrBytes: setting('CERT_MANAGER_CSR_BYTES', bytes.default(65_536), 'maximum size of a CSR file in bytes'),
  avatarBytes: setting(
    'CERT_MANAGER_AVATAR_BYTES',
    bytes.default(1_048_576),
    'maximum size of a picture of a user in bytes',
  ),
} as const;

export type Config = Omit<ConfigOf<typeof settings>, 'setupTokenPath'> & {
  readonly setupTokenPath: string;
  /** How messages name the setting of the encryption keys. */
  readonly encryptionKeysName?: string;
};

/** Configuration of the service. Throws ConfigError that names every fault, those of open mode included. */
export function readCertManagerConfig(environment: Environment = process.env): Config {
  const config = readConfig(settings, environment);
  const faults = [
    ...openModeFaults(config),
    ...bootstrapFaults(config),
    ...monitorFaults(config),
    ...httpsFaults(config),
    ...noticeFaults(config),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    ...config,
    setupTokenPath: config.setupTokenPath ?? besideDatabase(config.databaseUrl),
    encryptionKeysName: nameSetting('ENCRYPTION_KEYS', environment),
  };
}

/** Settings that the command line reads from the environment. */
export type CliConfig = Pick<
  Config,
  'databaseUrl' | 'migratesAtStart' | 'passwordMinLength' | 'encryptionKeys' | 'acmeDirectoryUrl'
>;

/** Configuration of the command line; what only the service needs may be missing. Throws ConfigError. */
export function readCliConfig(environment: Environment = process.env): CliConfig {
  const { databaseUrl, migratesAtStart, passwordMinLength, encryptionKeys, acmeDirectoryUrl } = settings;
  const known = { databaseUrl, migratesAtStart, passwordMinLength, encryptionKeys, acmeDirectoryUrl };
  return readConfig(known, environment);
}

/** Every variable with what it means, two lines each. */
export function describeSettings(): string {
  const lines = Object.values(settings).map(({ name, help }) => `${name}\n    ${help}\n`);
  return `${lines.join('')}A variable NAME may also be given as NAME_FILE, the file that holds its value.\n`;
}

/** Variables that look like settings of this service but are not: most likely misspelt. */
export function misspeltSettings(environment: Environment = process.env): string[] {
  return unknownSettings('CERT_MANAGER_', settings, environment);
}

function besideDatabase(url: string): string {
  const file = /^sqlite:(?:\/\/)?(.+)$/.exec(url)?.[1];
  return join(file === undefined || file === ':memory:' ? './data' : dirname(file), 'setup-token');
}

function openModeFaults(config: ConfigOf<typeof settings>): string[] {
  if (config.authMode !== 'open' || config.openIsUnderstood) return [];
  const way = 'unless AUTH_OPEN_I_UNDERSTAND is yes';
  return [
    ...(config.nodeEnv === 'production'
      ? [`AUTH_MODE: open is refused with NODE_ENV=production ${way}`]
      : []),
    ...(isLoopback(config.host) ? [] : [`AUTH_MODE: open is refused on an address others reach ${way}`]),
  ];
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

function bootstrapFaults({
  bootstrapUsername: username,
  bootstrapEmail: email,
  bootstrapPassword: password,
}: ConfigOf<typeof settings>): string[] {
  const given = [username, email, password].filter((value) => value !== undefined);
  if (given.length === 0 || given.length === 3) return [];
  return [
    'BOOTSTRAP_ADMIN_USERNAME, BOOTSTRAP_ADMIN_EMAIL and BOOTSTRAP_ADMIN_PASSWORD are needed all three, or none',
  ];
}

function monitorFaults({
  checkMonitorUrl: url,
  checkMonitorApiKey: key,
}: ConfigOf<typeof settings>): string[] {
  if ((url === undefined) === (key === undefined)) return [];
  return ['CHECK_MONITOR_URL and CHECK_MONITOR_API_KEY belong together: set both or neither'];
}
