import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AcmeTool, SetupFacts } from '@certloop/contracts';
import { acmeSetup } from '@certloop/contracts/browser';
import { hasProgram } from '@certloop/server/testing';
import { expect } from 'vitest';
import type { FrontPlace } from './front-place.js';
import { type ClientMachine, canMount, programsOfToday, startMachine, today } from './machine.js';

/** A client that runs as commands, with what people and timers type beside the commands of its page. */
export interface ShellTool {
  readonly label: string;
  readonly tool: AcmeTool;
  readonly isThere: boolean;
  readonly domain: string;
  /** Folder of programs that are found before those of the machine. */
  readonly programs?: () => string;
  /** `ari`: it renews once the server asks for it; `date`: in the last month of a certificate. */
  readonly renewsBy: 'ari' | 'date';
  /** Whether it goes on with its key, so that a renewal at once gets the same certificate. */
  readonly isKeyKept?: boolean;
  /** File of the chain, for the name. */
  readonly chain: (name: string) => string;
  /** Command that its timer or cron job runs. */
  readonly renew: string;
  readonly revoke: (name: string, facts: SetupFacts) => string;
}

const reloaded = '/run/reloaded';

/** Runs the command of a file of cron in a terminal, since lego waits for minutes without one. */
const cronJob = (name: string) =>
  `script -qec "$(sed -n 's/^[0-9 ,*]* root //p' /etc/cron.d/certloop-${name})" /dev/null`;

const legoRevoke = (name: string, { directoryUrl, kid, hmacKey, rootFile }: SetupFacts) =>
  `LEGO_CA_CERTIFICATES=${rootFile} lego --accept-tos -m admin@${name} --server ${directoryUrl} \
   --eab --kid ${kid} --hmac ${hmacKey} --path /var/lib/lego -d ${name} revoke --keep`;

const lego = {
  tool: 'lego',
  chain: (name: string) => `/var/lib/lego/certificates/${name}.crt`,
  renew: cronJob('lego'),
  revoke: legoRevoke,
} as const;

/** Clients by their labels; the first two are those of the gate. */
export const shellTools: readonly ShellTool[] = [
  {
    label: 'certbot 2.1',
    tool: 'certbot',
    isThere: canMount && hasProgram('certbot', 'it orders nothing of cert-manager'),
    domain: 'certbot.test',
    renewsBy: 'date',
    chain: (name) => `/etc/letsencrypt/live/${name}/fullchain.pem`,
    // as the unit of the package, whose environment a file beside it adds to
    renew: `export "$(sed -n 's/^Environment="\\(.*\\)"$/\\1/p' /etc/systemd/system/certbot.service.d/certloop.conf)"
      certbot -q renew --no-random-sleep-on-renew`,
    revoke: (name, { directoryUrl, rootFile }) =>
      `REQUESTS_CA_BUNDLE=${rootFile} certbot revoke -n --server ${directoryUrl} --cert-name ${name} \
       --reason superseded --no-delete-after-revoke`,
  },
  {
    label: 'lego of today',
    ...lego,
    isThere:
      canMount &&
      hasProgram(join(today, 'usr/bin/lego'), 'no client renews by renewal information of cert-manager'),
    domain: 'lego-today.test',
    programs: programsOfToday,
    renewsBy: 'ari',
  },
  {
    label: 'lego of Debian 12',
    ...lego,
    isThere: canMount && hasProgram('lego', 'it orders nothing of cert-manager'),
    domain: 'lego.test',
    renewsBy: 'date',
  },
  {
    label: 'acme.sh of today',
    tool: 'acme.sh',
    isThere: canMount && existsSync(join(today, 'usr/share/acme.sh/acme.sh')),
    domain: 'acme-sh.test',
    programs: programsOfToday,
    renewsBy: 'ari',
    chain: (name) => `/etc/ssl/private/${name}.pem`,
    renew: 'acme.sh --cron',
    revoke: (name) => `acme.sh --revoke --ecc -d ${name} --revoke-reason 4`,
  },
  {
    label: 'dehydrated 0.7',
    tool: 'dehydrated',
    isThere: canMount && hasProgram('dehydrated', 'it orders nothing of cert-manager'),
    domain: 'dehydrated.test',
    renewsBy: 'date',
    chain: (name) => `/var/lib/dehydrated-certloop/certs/${name}/fullchain.pem`,
    renew: cronJob('dehydrated'),
    revoke: (name) =>
      `dehydrated -f /var/lib/dehydrated-certloop/config -r /var/lib/dehydrated-certloop/certs/${name}/cert.pem`,
  },
  {
    label: 'uacme 1.7',
    tool: 'uacme',
    isThere: canMount && hasProgram('uacme', 'it orders nothing of cert-manager', ['-V'], 2),
    domain: 'uacme.test',
    renewsBy: 'date',
    isKeyKept: true,
    chain: (name) => `/etc/ssl/uacme/${name}/cert.pem`,
    renew: cronJob('uacme'),
    revoke: (name, { directoryUrl }) =>
      `uacme -y -a ${directoryUrl} -c /etc/ssl/uacme -r 4 revoke /etc/ssl/uacme/${name}/cert.pem`,
  },
];

/** Runs the commands of the client's page, its renewal and a revocation, each as it stands. */
export async function playShellTool(tool: ShellTool, place: FrontPlace): Promise<void> {
  const machine = await startMachine(tool.programs?.());
  try {
    const { lastingProviderId } = place;
    const provider = tool.renewsBy === 'ari' ? lastingProviderId : undefined;
    const facts = { ...(await place.addClient(tool.domain, provider)), reload: `touch ${reloaded}` };
    const [name = ''] = facts.names;
    const chain = machine.at(tool.chain(name));
    await runSteps(machine, tool.tool, facts);
    const first = await place.judge(name, chain);
    expect(wasReloaded(machine)).toBe(true);

    if (provider !== undefined) {
      // not yet
      await machine.run(tool.renew);
      expect((await place.judge(name, chain)).id).toBe(first.id);
      expect(wasReloaded(machine)).toBe(false);
    }
    if (tool.renewsBy === 'ari') await place.wantRenewed(name);
    await machine.run(tool.renew);
    if (tool.isKeyKept === true) {
      expect((await place.judge(name, chain)).id).toBe(first.id);
      // the names of its earlier certificates have seconds, and it overwrites none
      await machine.run(`rm /etc/ssl/uacme/private/${name}/key.pem /etc/ssl/uacme/${name}/cert-*.pem`);
      await machine.run(tool.renew);
    }
    const second = await place.judge(name, chain);
    expect(second.id).not.toBe(first.id);
    expect(wasReloaded(machine)).toBe(true);

    await machine.run(tool.revoke(name, facts));
    expect((await place.awaitRevoked(name)).id).toBe(second.id);
  } finally {
    await machine.stop();
  }
}

/** Runs the commands of the client's page; there is no systemd to be informed. */
export async function runSteps(machine: ClientMachine, tool: AcmeTool, facts: SetupFacts): Promise<void> {
  for (const { language, text } of acmeSetup(tool, facts).steps)
    if (language === 'shell') await machine.run(text.replaceAll(/^systemctl daemon-reload$/gm, ':'));
}

/** Whether the command that reloads the server ran since the last time. */
function wasReloaded(machine: ClientMachine): boolean {
  const file = machine.at(reloaded);
  if (!existsSync(file)) return false;
  rmSync(file);
  return true;
}
