import type { RequestListener, Server } from 'node:http';
import { AcmeClient } from '@certloop/acme-server/testing';
import type { CsrProfile } from '@certloop/contracts';
import {
  createLogger,
  createMovableClock,
  type Logger,
  type MetricsAccess,
  type MovableClock,
} from '@certloop/server';
import type { AcmeSettings } from '../../src/acme/acme-settings.js';
import { openAcmeIssuer } from '../../src/acme/issuance/acme-issuer.service.js';
import type { ValidationSettings } from '../../src/acme/validation/validation-settings.js';
import { acmePartsOf } from '../../src/acme-config.js';
import { createApp } from '../../src/app.js';
import {
  type CertificateAuthority,
  openAuthority,
  type RootSource,
} from '../../src/authority/certificate-authority.service.js';
import type { State } from '../../src/authority/state.store.js';
import { loadConfig } from '../../src/config.js';
import { freshRoot, noIntermediate, usualStatus } from './app.js';
import { serve } from './served.js';

export interface TestAcme {
  readonly url: string;
  readonly server: Server;
  readonly handler: RequestListener;
  readonly clock: MovableClock;
  readonly authority: CertificateAuthority;
  /** A client without an account. */
  stranger(): AcmeClient;
  /** A client with a new account. */
  client(): Promise<AcmeClient>;
  close(): Promise<void>;
}

export interface TestAcmeOptions {
  readonly settings?: Partial<AcmeSettings>;
  readonly validation?: Partial<ValidationSettings>;
  readonly maxRecords?: number;
  readonly now?: Date;
  readonly root?: Partial<RootSource>;
  /** Faults from the start, as in the configuration. */
  readonly faults?: readonly object[];
  readonly seed?: number;
  readonly admin?: boolean;
  /** Nothing is logged when absent. */
  readonly logger?: Logger;
  readonly metricsAccess?: MetricsAccess;
  /** Nothing is stored when absent. */
  readonly state?: State;
  readonly lint?: CsrProfile;
}

/** The real application over a real connection; every challenge is valid unless the options say otherwise. */
export async function startAcme(options: TestAcmeOptions = {}): Promise<TestAcme> {
  const { handler, clock, authority } = await createTestAcme(options);
  const { url, server, close } = await serve(handler);
  return {
    url,
    server,
    handler,
    clock,
    authority,
    stranger: () => new AcmeClient(url),
    client: async () => {
      const client = new AcmeClient(url);
      await client.register();
      return client;
    },
    close,
  };
}

interface UnservedAcme extends Pick<TestAcme, 'clock' | 'authority'> {
  readonly handler: RequestListener;
}

/** The application of `startAcme` without a connection. */
export async function createTestAcme(options: TestAcmeOptions): Promise<UnservedAcme> {
  const clock = createMovableClock(options.now ?? new Date());
  const source = { ...freshRoot, ...options.root };
  const authority = await openAuthority(source, clock);
  const { settings, validation, ...parts } = acmePartsOf(
    loadConfig({
      DUMMY_CA_ADMIN: String(options.admin ?? true),
      DUMMY_CA_FAULTS: JSON.stringify(options.faults ?? []),
      DUMMY_CA_FAULT_SEED: String(options.seed ?? 1),
    }),
  );
  const handler = createApp({
    authority,
    storeLimits: { count: 100, octets: 1_000_000 },
    status: usualStatus,
    acme: {
      issuer: await openAcmeIssuer(authority, { ...noIntermediate, ...source }, clock),
      settings: { ...settings, retryAfterSeconds: 0, ...options.settings },
      validation: { ...validation, mode: 'always-valid', ...options.validation },
      ...parts,
      ...(options.maxRecords !== undefined && { maxRecords: options.maxRecords }),
    },
    clock,
    logger: options.logger ?? createLogger({ service: 'dummy-ca', level: 'silent' }),
    ...(options.metricsAccess && { metricsAccess: options.metricsAccess }),
    ...(options.state && { state: options.state }),
    lint: options.lint,
  });
  return { handler, clock, authority };
}
