import { join } from 'node:path';
import type { ServiceName } from './service-process.js';
import type { ChosenPorts } from './stack-ports.js';

/** Files of a stack's folder that hold what only its services may know. */
export interface SecretFiles {
  readonly encryptionKeys: string;
  readonly monitorSecret: string;
}

/** Address and environment of each service. */
export interface StackPlan {
  readonly dataDir: string;
  readonly urls: Readonly<Record<ServiceName, string>>;
  /** Where dummy-ca answers by https. */
  readonly httpsUrl: string;
  /** Where cert-manager answers by https. */
  readonly managerHttpsUrl: string;
  readonly environments: Readonly<Record<ServiceName, Readonly<Record<string, string>>>>;
}

export interface PlanInput {
  readonly dataDir: string;
  readonly ports: ChosenPorts;
  readonly secretFiles: SecretFiles;
  /** Databases elsewhere than in SQLite files of the folder. */
  readonly databaseUrls?: DatabaseUrls | undefined;
  /** Environment that every service inherits. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface DatabaseUrls {
  readonly certManager: string;
  readonly checkMonitor: string;
}

/** Files of the SQLite databases in a folder. */
export function sqliteFiles(dataDir: string): DatabaseUrls {
  return {
    certManager: join(dataDir, 'cert-manager.sqlite'),
    checkMonitor: join(dataDir, 'check-monitor.sqlite'),
  };
}

/** The stack as data; the manager's key to the monitor is added when there is one. */
export function planStack({ dataDir, ports, secretFiles, databaseUrls, environment }: PlanInput): StackPlan {
  const files = sqliteFiles(dataDir);
  const databases = databaseUrls ?? {
    certManager: `sqlite:${files.certManager}`,
    checkMonitor: `sqlite:${files.checkMonitor}`,
  };
  const urls = {
    'cert-manager': urlOf(ports.certManager),
    'check-monitor': urlOf(ports.checkMonitor),
    'dummy-ca': urlOf(ports.dummyCa),
  };
  // dummy-ca validates every name where cert-manager answers, since no name of an example has an address
  const challengePort = environment['HTTP01_PORT'] ?? String(ports.http01);
  // the name is on the certificate, and some clients take no address
  const managerHttpsUrl = `https://localhost:${ports.certManagerHttps}`;
  return {
    dataDir,
    urls,
    httpsUrl: `https://localhost:${ports.dummyCaHttps}`,
    managerHttpsUrl,
    environments: {
      'cert-manager': {
        // most ACME clients accept https alone
        CERT_MANAGER_ACME_URL: managerHttpsUrl,
        CERT_MANAGER_HTTPS_NAMES: 'localhost 127.0.0.1 ::1',
        ...environment,
        HTTP01_PORT: challengePort,
        CERT_MANAGER_HTTPS_PORT: String(ports.certManagerHttps),
        CERT_MANAGER_HOST: host,
        CERT_MANAGER_PORT: String(ports.certManager),
        CERT_MANAGER_PUBLIC_URL: urls['cert-manager'],
        CERT_MANAGER_DATABASE_URL: databases.certManager,
        CERT_MANAGER_SETUP_TOKEN_FILE: join(dataDir, 'secrets', 'setup-token'),
        ENCRYPTION_KEYS_FILE: secretFiles.encryptionKeys,
        DUMMY_CA_URL: urls['dummy-ca'],
        CHECK_MONITOR_URL: urls['check-monitor'],
        CHECK_MONITOR_PUBLIC_URL: urls['check-monitor'],
      },
      'check-monitor': {
        ...environment,
        CHECK_MONITOR_HOST: host,
        CHECK_MONITOR_PORT: String(ports.checkMonitor),
        CHECK_MONITOR_SITE_ROOT: urls['check-monitor'],
        CHECK_MONITOR_MANAGER_URL: urls['cert-manager'],
        CHECK_MONITOR_DATABASE_URL: databases.checkMonitor,
        CHECK_MONITOR_SECRET_FILE: secretFiles.monitorSecret,
      },
      'dummy-ca': {
        // cert-manager revokes by its administrative API
        DUMMY_CA_ADMIN: 'true',
        DUMMY_CA_HTTP01_PORT: challengePort,
        DUMMY_CA_RESOLVE_TO: host,
        ...environment,
        DUMMY_CA_HOST: host,
        DUMMY_CA_PORT: String(ports.dummyCa),
        DUMMY_CA_HTTPS_PORT: String(ports.dummyCaHttps),
      },
    },
  };
}

/** File that the root of dummy-ca is in while the stack runs: it is another one after each start. */
export const rootFile = (dataDir: string): string => join(dataDir, 'root.pem');

const host = '127.0.0.1';

function urlOf(port: number): string {
  return `http://${host}:${port}`;
}

/** Address that answers 200 once the service takes requests. */
export function healthUrl(app: ServiceName, { urls }: StackPlan): string {
  const paths = {
    'cert-manager': '/health/ready',
    'check-monitor': '/api/v3/status/',
    'dummy-ca': '/health',
  };
  return `${urls[app]}${paths[app]}`;
}
