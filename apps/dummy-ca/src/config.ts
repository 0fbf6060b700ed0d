import { isIP } from 'node:net';
import { csrProfiles, scalars } from '@certloop/contracts';
import {
  ConfigError,
  type ConfigOf,
  type Environment,
  logLevel,
  metricsSettings,
  portNumber,
  readConfig,
  setting,
  tracingSettings,
  unknownSettings,
  wholeNumber,
  wordList,
} from '@certloop/server';
import { z } from 'zod';
import { acmeSettings } from './acme-config.js';
import { authorityKeyTypes } from './authority/issuance-profile.js';
import { pointerKinds } from './authority/pointers.js';

const keyTypes = authorityKeyTypes.join(', ');

const pointers = wordList
  .transform((words) => words.filter((word) => word !== 'none'))
  .pipe(z.array(z.enum(pointerKinds, `must be words of ${pointerKinds.join(', ')}, or none`)));

/** Host names and ranges, apart; undefined without a word. */
const permittedNames = wordList
  .transform((words) => ({
    dnsNames: words.filter((word) => !word.includes('/')).map((word) => word.toLowerCase()),
    cidrs: words.filter((word) => word.includes('/')),
  }))
  .refine(
    ({ dnsNames }) => dnsNames.every((name) => permittedName.test(name)),
    'must be words of host names in ASCII',
  )
  .refine(({ cidrs }) => cidrs.every(isRange), 'has an invalid range; write ranges such as 10.0.0.0/8')
  .transform(({ dnsNames, cidrs }) =>
    dnsNames.length + cidrs.length === 0 ? undefined : { dnsNames, cidrs },
  );

const permittedName =
  /^\.?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

function isRange(cidr: string): boolean {
  const [address = '', bits = ''] = cidr.split('/');
  const version = isIP(address);
  return version !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}

/** Every environment variable of this service. A secret may also come from the file that NAME_FILE names. */
export const settings = {
  host: setting('DUMMY_CA_HOST', z.string().default('127.0.0.1'), 'address to listen on'),
  port: setting('DUMMY_CA_PORT', portNumber.default(3002), 'TCP port, 0 selects a free port'),
  keyType: setting(
    'DUMMY_CA_KEY_TYPE',
    z.enum(authorityKeyTypes, `must be one of ${keyTypes}`).default('P-256'),
    `key type of a generated root: ${keyTypes}`,
  ),
  commonName: setting(
    'DUMMY_CA_COMMON_NAME',
    // 64 is the bound of a common name (RFC 5280, Appendix A.1).
    scalars.line(64).default('CertLoop Dummy CA Root'),
    'common name of a generated root, up to 64 characters',
  ),
  rootValidityDays: setting(
    'DUMMY_CA_ROOT_VALIDITY_DAYS',
    wholeNumber(2, 36_525).default(36_525),
    'validity of a generated root in days, including past days',
  ),
  rootPastDays: setting(
    'DUMMY_CA_ROOT_PAST_DAYS',
    wholeNumber(0, 36_524).default(1),
    'days before the start at which a generated root begins; expired certificates can begin as early',
  ),
  permittedNames: setting(
    'DUMMY_CA_PERMITTED_NAMES',
    permittedNames.prefault(''),
    'names for which a generated root may issue, including names below them, and address ranges such as 10.0.0.0/8; all names when empty',
  ),
  lint: setting(
    'DUMMY_CA_LINT',
    z
      .enum(['off', ...csrProfiles], `must be off or one of ${csrProfiles.join(', ')}`)
      .default('off')
      .transform((profile) => (profile === 'off' ? undefined : profile)),
    `refuses CSRs with findings of the severity error in this profile: off, ${csrProfiles.join(', ')}`,
  ),
  backdateSeconds: setting(
    'DUMMY_CA_BACKDATE_SECONDS',
    wholeNumber(0, 86_400).default(60),
    'seconds before now at which certificates begin, a tenth of their length at most',
  ),
  pointers: setting(
    'DUMMY_CA_POINTERS',
    pointers.prefault('crl ocsp issuer'),
    'addresses in certificates when DUMMY_CA_PUBLIC_URL is set: crl, ocsp, issuer, or none',
  ),
  crlSeconds: setting(
    'DUMMY_CA_CRL_SECONDS',
    wholeNumber(2, 31_536_000).default(86_400),
    'validity of a revocation list in seconds',
  ),
  ocspSeconds: setting(
    'DUMMY_CA_OCSP_SECONDS',
    wholeNumber(2, 31_536_000).default(3_600),
    'validity of an OCSP response in seconds',
  ),
  rootKeyPem: setting(
    'DUMMY_CA_ROOT_KEY',
    z.string().optional(),
    "PEM of the root's private key; DUMMY_CA_ROOT_KEY_FILE names a file",
  ),
  rootCertificatePem: setting(
    'DUMMY_CA_ROOT_CERTIFICATE',
    z.string().optional(),
    'PEM of the root certificate; DUMMY_CA_ROOT_CERTIFICATE_FILE names a file',
  ),
  intermediateKeyPem: setting(
    'DUMMY_CA_INTERMEDIATE_KEY',
    z.string().optional(),
    "PEM of the private key of ACME's intermediate; DUMMY_CA_INTERMEDIATE_KEY_FILE names a file",
  ),
  intermediateCertificatePem: setting(
    'DUMMY_CA_INTERMEDIATE_CERTIFICATE',
    z.string().optional(),
    "PEM of the intermediate's certificate, signed by the root from the files",
  ),
  keep: setting(
    'DUMMY_CA_KEEP',
    wholeNumber(1, 10_000_000).default(100_000),
    'number of certificates held in memory; the oldest is dropped first',
  ),
  keepMebibytes: setting(
    'DUMMY_CA_KEEP_MIB',
    wholeNumber(1, 65_536).default(256),
    'MiB of PEM text held in memory; the oldest certificate is dropped first',
  ),
  stateFile: setting(
    'DUMMY_CA_STATE_FILE',
    z.string().min(1).optional(),
    'SQLite file that stores accounts, orders, certificates, revocations and a generated root; when absent, a restart loses them',
  ),
  ...acmeSettings,
  logLevel: setting(
    'LOG_LEVEL',
    logLevel.default('info'),
    'minimum log level, from trace to fatal, or silent',
  ),
  ...metricsSettings,
  ...tracingSettings,
};

// Names with this service's prefix that other services of the stack read.
const namesOfOthers: ReadonlySet<string> = new Set(['DUMMY_CA_URL', 'DUMMY_CA_URL_FILE']);

export interface Config extends ConfigOf<typeof settings> {
  /** Names of variables that look like settings of this service but are not. */
  readonly unknownNames: readonly string[];
}

/** Configuration of the service. Throws ConfigError with every fault; root key and certificate come in pairs. */
export function loadConfig(environment: Environment = process.env): Config {
  const config = readConfig(settings, environment);
  const faults = [
    ...pairFaults("a root's", environment, [
      { name: settings.rootKeyPem.name, pem: config.rootKeyPem },
      { name: settings.rootCertificatePem.name, pem: config.rootCertificatePem },
    ]),
    ...pairFaults("an intermediate's", environment, [
      { name: settings.intermediateKeyPem.name, pem: config.intermediateKeyPem },
      { name: settings.intermediateCertificatePem.name, pem: config.intermediateCertificatePem },
    ]),
    ...(config.rootPastDays < config.rootValidityDays
      ? []
      : [`${settings.rootPastDays.name}: must be less than ${settings.rootValidityDays.name}`]),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  const unknownNames = unknownSettings('DUMMY_CA_', settings, environment);
  return { ...config, unknownNames: unknownNames.filter((name) => !namesOfOthers.has(name)) };
}

interface PemSetting {
  readonly name: string;
  readonly pem: string | undefined;
}

function pairFaults(whose: string, environment: Environment, parts: readonly PemSetting[]): string[] {
  const empty = parts.filter(({ name, pem }) => pem === undefined && environment[`${name}_FILE`]);
  if (empty.length > 0) return empty.map(({ name }) => `${name}: the file that ${name}_FILE names is empty`);
  const missing = parts.filter(({ pem }) => pem === undefined);
  if (missing.length !== 1) return [];
  return missing.map(({ name }) => `${name}: is missing; ${whose} key and its certificate come together`);
}
