import { type Environment, portNumber, readConfig, setting } from '@certloop/server';
import { z } from 'zod';

const settings = {
  certManagerPort: setting(
    'CERT_MANAGER_PORT',
    portNumber.default(3000),
    'TCP port of the certificate management service',
  ),
  certManagerHttpsPort: setting(
    'CERT_MANAGER_HTTPS_PORT',
    portNumber.default(3444),
    'TCP port of the certificate management service for https',
  ),
  checkMonitorPort: setting(
    'CHECK_MONITOR_PORT',
    portNumber.default(3001),
    'TCP port of the check-monitoring service',
  ),
  dummyCaPort: setting('DUMMY_CA_PORT', portNumber.default(3002), 'TCP port of the dummy CA'),
  dummyCaHttpsPort: setting(
    'DUMMY_CA_HTTPS_PORT',
    portNumber.default(3443),
    'TCP port of the dummy CA for https',
  ),
  dataDir: setting('CERTLOOP_DATA_DIR', z.string().default('data'), 'folder for databases, secrets and logs'),
};

export interface StackConfig {
  readonly ports: StackPorts;
  /** Folder for databases, secrets and logs; made when it does not exist. */
  readonly dataDir: string;
}

export interface StackPorts {
  readonly certManager: number;
  readonly checkMonitor: number;
  readonly dummyCa: number;
  /** Port of the certificate management service for https; a free one when absent. */
  readonly certManagerHttps?: number;
  /** Port of the dummy CA for https; a free one when absent. */
  readonly dummyCaHttps?: number;
}

/** Settings of the whole stack. Throws ConfigError that lists all faults. */
export function readStackConfig(environment: Environment = process.env): StackConfig {
  const config = readConfig(settings, environment);
  return {
    ports: {
      certManager: config.certManagerPort,
      certManagerHttps: config.certManagerHttpsPort,
      checkMonitor: config.checkMonitorPort,
      dummyCa: config.dummyCaPort,
      dummyCaHttps: config.dummyCaHttpsPort,
    },
    dataDir: config.dataDir,
  };
}

/** Environment that a service inherits: what its user set for it, less what belongs to the whole stack. */
export function inheritedEnvironment(environment: Environment = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
