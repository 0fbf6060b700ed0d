import { StartFailed } from '@certloop/server';
import type { StackPorts } from './config.js';
import { freePort, requireFreePort } from './ports.js';

const portVariables = {
  certManager: 'CERT_MANAGER_PORT',
  checkMonitor: 'CHECK_MONITOR_PORT',
  dummyCa: 'DUMMY_CA_PORT',
  dummyCaHttps: 'DUMMY_CA_HTTPS_PORT',
} as const;

/** Ports of a stack that is started. */
export interface ChosenPorts extends Required<StackPorts> {
  /** Where cert-manager answers challenges of http-01, and dummy-ca looks for the answers. */
  readonly http01: number;
}

/** Ports of the stack, with a free one for each 0. Throws StartFailed for a port that is taken or named twice. */
export async function choosePorts({ dummyCaHttps = 0, ...ports }: StackPorts): Promise<ChosenPorts> {
  const { certManager, checkMonitor, dummyCa } = portVariables;
  if (ports.checkMonitor !== 0 && ports.checkMonitor === ports.certManager) {
    throw new StartFailed(`${certManager} and ${checkMonitor} are the same port, ${ports.checkMonitor}`);
  }
  if (ports.dummyCa !== 0 && [ports.certManager, ports.checkMonitor].includes(ports.dummyCa)) {
    throw new StartFailed(`${dummyCa} is the port of another service, ${ports.dummyCa}`);
  }
  if (dummyCaHttps !== 0 && Object.values(ports).includes(dummyCaHttps)) {
    throw new StartFailed(`${portVariables.dummyCaHttps} is the port of another service, ${dummyCaHttps}`);
  }
  return {
    certManager: await choosePort(ports.certManager, certManager),
    checkMonitor: await choosePort(ports.checkMonitor, checkMonitor),
    dummyCa: await choosePort(ports.dummyCa, dummyCa),
    dummyCaHttps: await choosePort(dummyCaHttps, portVariables.dummyCaHttps),
    http01: await freePort(),
  };
}

async function choosePort(port: number, variable: string): Promise<number> {
  if (port === 0) return freePort();
  await requireFreePort(port, variable);
  return port;
}
