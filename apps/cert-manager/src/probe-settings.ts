import { portNumber, setting, wholeNumber, wordList } from '@certloop/server';
import { createGuard } from '@certloop/tls-probe/rules';
import { z } from 'zod';

const networks = wordList.superRefine((cidrs, context) => {
  try {
    createGuard({ allowCidrs: cidrs });
  } catch {
    const message = 'must be networks such as 10.0.0.0/8 or fd12::/16, separated by commas';
    context.addIssue({ code: 'custom', message });
  }
});

const ports = wordList.pipe(z.array(portNumber.refine((port) => port > 0, 'must be ports from 1 to 65535')));

// mail between servers, port 25, only where it is listed: many networks take a connection to it for spam
const usualPorts = [110, 143, 389, 443, 465, 587, 636, 993, 995, 3306, 5222, 5432, 6443, 8443];

/** Settings of what probes of servers may reach. */
export const probeSettings = {
  probeAllowCidrs: setting(
    'PROBE_ALLOW_CIDRS',
    networks.default([]),
    'private networks that probes may reach, such as 10.0.0.0/8; link-local and metadata addresses never',
  ),
  probePorts: setting(
    'PROBE_PORTS',
    ports.default(usualPorts),
    'TCP ports that probes may reach, separated by commas',
  ),
  probeTargetsPerSpace: setting(
    'PROBE_TARGETS_PER_SPACE',
    wholeNumber(0, 1_000_000).default(200),
    'maximum number of targets of a space',
  ),
} as const;
