import { maxIdentifiers } from '@certloop/acme-server/rules';
import { validationModes } from '@certloop/contracts';
import {
  baseAddress,
  type ConfigOf,
  flag,
  httpAddress,
  portNumber,
  setting,
  wholeNumber,
  wordList,
} from '@certloop/server';
import { z } from 'zod';
import { externalAccounts, faults, ipAddress, profiles, resolverAddress } from './acme-values.js';

const seconds = (fallback: number) => wholeNumber(1, 315_360_000).prefault(String(fallback));
const on = flag.prefault('true');
const off = flag.prefault('false');

/** Variables that ACME reads. */
export const acmeSettings = {
  publicUrl: setting(
    'DUMMY_CA_PUBLIC_URL',
    baseAddress.optional(),
    'address at which ACME clients and verifiers reach the service; when absent, ACME uses the host of the request',
  ),
  acmeKeep: setting(
    'DUMMY_CA_ACME_KEEP',
    // No less than one order can need.
    wholeNumber(maxIdentifiers, 1_000_000).prefault('20000'),
    'number of accounts, authorizations, nonces, and identifiers of orders and of certificates held in memory, each; the oldest is dropped first',
  ),
  profiles: setting(
    'DUMMY_CA_PROFILES',
    profiles.prefault(
      'classic:7776000::server-only tlsserver:3888000::no-cn+no-ski+no-key-encipherment+server-only shortlived:576000::no-cn+no-ski+no-key-encipherment+server-only tlsclient:7776000',
    ),
    'profiles, separated by spaces, as name:seconds of validity:seconds from now to notBefore:options; the last two are optional; the first profile is the default; options, joined by +, are no-cn, no-ski, no-key-encipherment and server-only',
  ),
  termsOfService: setting(
    'DUMMY_CA_TERMS',
    httpAddress.optional(),
    'address of the terms that accounts must agree to',
  ),
  externalAccounts: setting(
    'DUMMY_CA_EAB',
    externalAccounts.prefault(''),
    'external accounts as kid:key, separated by spaces, the MAC key in base64url',
  ),
  requireExternalAccount: setting(
    'DUMMY_CA_EAB_REQUIRED',
    off,
    'true: each account needs an external account binding',
  ),
  orderSeconds: setting('DUMMY_CA_ORDER_SECONDS', seconds(604_800), 'lifetime of an order in seconds'),
  authorizationSeconds: setting(
    'DUMMY_CA_AUTHORIZATION_SECONDS',
    seconds(2_592_000),
    'lifetime of an authorization in seconds',
  ),
  reuseAuthorizations: setting(
    'DUMMY_CA_REUSE_AUTHORIZATIONS',
    off,
    'true: later orders reuse valid authorizations',
  ),
  blockCompromisedKeys: setting(
    'DUMMY_CA_BLOCK_COMPROMISED_KEYS',
    on,
    'false: certify keys that their owners have reported as compromised',
  ),
  ordersPerPage: setting(
    'DUMMY_CA_ORDERS_PER_PAGE',
    wholeNumber(1, 1_000).prefault('50'),
    'orders on one page of an account’s list',
  ),
  retryAfterSeconds: setting(
    'DUMMY_CA_RETRY_AFTER_SECONDS',
    wholeNumber(0, 86_400).prefault('1'),
    'seconds in Retry-After while an order or a challenge is processing',
  ),
  renewalInfoSeconds: setting(
    'DUMMY_CA_RENEWAL_INFO_SECONDS',
    seconds(21_600),
    'seconds in Retry-After of renewalInfo',
  ),
  validation: setting(
    'DUMMY_CA_VALIDATION',
    z.enum(validationModes, `must be one of ${validationModes.join(', ')}`).default('real'),
    'validation of challenges: real, always-valid or always-invalid',
  ),
  http01Port: setting(
    'DUMMY_CA_HTTP01_PORT',
    portNumber.prefault('80'),
    'TCP port that http-01 validation connects to',
  ),
  tlsAlpn01Port: setting(
    'DUMMY_CA_TLSALPN01_PORT',
    portNumber.prefault('443'),
    'TCP port that tls-alpn-01 validation connects to',
  ),
  dnsServer: setting(
    'DUMMY_CA_DNS',
    resolverAddress.optional(),
    'address:port of the resolver for validation; the system’s when absent',
  ),
  resolveTo: setting(
    'DUMMY_CA_RESOLVE_TO',
    ipAddress.optional(),
    'IP address at which every name is validated, such as 127.0.0.1',
  ),
  validatePrivate: setting(
    'DUMMY_CA_VALIDATE_PRIVATE',
    on,
    'false: reject validation at loopback and private addresses',
  ),
  validationSeconds: setting(
    'DUMMY_CA_VALIDATION_SECONDS',
    wholeNumber(1, 60).prefault('10'),
    'maximum time of a validation in seconds',
  ),
  faults: setting('DUMMY_CA_FAULTS', faults.prefault('[]'), 'faults from the start, as a JSON list'),
  faultSeed: setting(
    'DUMMY_CA_FAULT_SEED',
    wholeNumber(0, 4_294_967_295).prefault('1'),
    'seed that selects the requests of a fault with a rate',
  ),
  admin: setting('DUMMY_CA_ADMIN', off, 'true: serve the administrative API under /admin'),
  httpsPort: setting(
    'DUMMY_CA_HTTPS_PORT',
    portNumber.optional(),
    'TCP port for https, in addition to http; 0 selects a free port; no https when absent',
  ),
  httpsNames: setting(
    'DUMMY_CA_HTTPS_NAMES',
    wordList.prefault('localhost 127.0.0.1 ::1'),
    'host names and addresses of the certificate for https',
  ),
};

export type AcmeConfig = ConfigOf<typeof acmeSettings>;

// Long enough for a validation on the same machine, too short for a person to notice.
const challengeWaitMs = 250;

// long enough to repeat the first packet of a connection once (RFC 6298 §2)
const maxConnectMs = 3_000;

/** Returns what ACME is built from, in addition to what signs. */
export function acmePartsOf(config: AcmeConfig & { readonly backdateSeconds: number }) {
  return {
    settings: { ...config, externalAccounts: new Map(config.externalAccounts), challengeWaitMs },
    validation: {
      mode: config.validation,
      http01Port: config.http01Port,
      tlsAlpn01Port: config.tlsAlpn01Port,
      dnsServer: config.dnsServer,
      resolveTo: config.resolveTo,
      allowPrivate: config.validatePrivate,
      timeoutMs: config.validationSeconds * 1000,
      maxConnectMs,
    },
    maxRecords: config.acmeKeep,
    faults: { faults: config.faults, seed: config.faultSeed },
    admin: config.admin,
    publicUrl: config.publicUrl,
  };
}
