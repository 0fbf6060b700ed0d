import { copyFileSync, readFileSync } from 'node:fs';
import { freePort } from '@certloop/contracts/testing';
import { hasProgram } from '@certloop/server/testing';
import { expect } from 'vitest';
import { addFqdn, makeCsr, uploadCsr } from '../../../src/main-job.js';
import type { FrontPlace } from './front-place.js';
import { type ClientMachine, canMount, programsOfToday, startMachine } from './machine.js';
import { shellTools } from './shell-tools.js';
import type { Story } from './story.js';

const page = readFileSync(new URL('../../../../../../docs/acme-clients.md', import.meta.url), 'utf8');

/** The commands of each sh block of a section of the page, one a line. */
function blocksOf(title: string): readonly (readonly string[])[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? '';
  const blocks = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)];
  return blocks.map(([, block = '']) => block.trim().split(/\n\s*/));
}

const consequence = 'the page on ACME clients is not run';
const hasCertbot = canMount && hasProgram('certbot', consequence);

/** The first screen of the page on ACME clients, as it stands. */
export const pageStories: readonly Story[] = [
  {
    label: 'certbot by the page',
    shows: 'gets and renews by three commands',
    isThere: hasCertbot,
    play: (place) =>
      playFirstScreen(place, 0, 'www.example.test', '/etc/letsencrypt/live/www.example.test/fullchain.pem'),
  },
  {
    label: 'lego by the page',
    shows: 'gets and renews by three commands',
    isThere: canMount && hasProgram('lego', consequence),
    play: (place) =>
      playFirstScreen(place, 1, 'www.example.net', '/var/lib/lego/certificates/www.example.net.crt'),
  },
];

export const movingStories: readonly Story[] = [
  {
    label: 'certbot by the page',
    shows: 'moves from another CA',
    isThere: hasCertbot,
    play: playMove,
  },
  {
    label: 'certbot',
    shows: 'is refused a name of people until its client may take over',
    isThere: hasCertbot,
    play: playRefusal,
  },
];

/** A machine whose user is signed in to cert-manager, and has its root. */
async function startSignedIn(place: FrontPlace) {
  const machine = await startMachine(programsOfToday());
  copyFileSync(place.rootFile, machine.at('/root/root.pem'));
  const { url, token } = place.running.stack.credentials.certManager;
  const run = (line: string) =>
    machine.run(`cd /root\n${line}`, { CERTLOOP_URL: url, CERTLOOP_TOKEN: token });
  return { machine, run };
}

async function playFirstScreen(place: FrontPlace, block: number, name: string, chain: string): Promise<void> {
  const [create = '', order = '', renew = '', ...more] =
    blocksOf('From nothing to a renewed certificate')[block] ?? [];
  expect([renew === '', more]).toEqual([false, []]);
  const { machine, run } = await startSignedIn(place);
  try {
    await run(create);
    await run(order);
    const first = await place.judge(name, machine.at(chain));
    await run(renew);
    expect((await place.judge(name, machine.at(chain))).id).not.toBe(first.id);
    expect(await place.certificatesOf(name)).toHaveLength(2);
  } finally {
    await machine.stop();
  }
}

const moved = 'moved.example.test';

async function playMove(place: FrontPlace): Promise<void> {
  const { machine, run } = await startSignedIn(place);
  const chain = machine.at(`/etc/letsencrypt/live/${moved}/fullchain.pem`);
  try {
    await orderElsewhere(place, machine);
    await run('certloop import certbot /etc/letsencrypt --space Shop --apply');
    for (const line of blocksOf('Moving a host that has certbot or lego').flat()) await run(line);
    const first = await place.judge(moved, chain);
    const renewal = readFileSync(machine.at(`/etc/letsencrypt/renewal/${moved}.conf`), 'utf8');
    expect(renewal).toContain(`server = ${place.directoryUrl}`);
    await run(`${shellTools[0]?.renew} --force-renewal`);
    expect((await place.judge(moved, chain)).id).not.toBe(first.id);
  } finally {
    await machine.stop();
  }
}

/** Without the option to take over, the order is refused until the client is changed. */
async function playRefusal(place: FrontPlace): Promise<void> {
  const { machine, run } = await startSignedIn(place);
  const name = 'held.example.test';
  try {
    await uploadByPerson(place, name);
    const create = 'certloop acme-clients create web-10 -s Shop --provider dummy-ca --ca root.pem -o certbot';
    await run(`${create} --allow-name ${name} > order.sh`);
    await expect(run('bash -e order.sh')).rejects.toThrow('An unexpected error occurred');
    // certbot 2.1 cannot print what a server says
    const log = readFileSync(machine.at('/var/log/letsencrypt/letsencrypt.log'), 'utf8');
    expect(log).toContain(`this client may not have ${name}`);
    await run('certloop acme-clients update web-10 -s Shop --take-over on');
    await run('bash -e order.sh');
    await place.judge(name, machine.at(`/etc/letsencrypt/live/${name}/fullchain.pem`));
  } finally {
    await machine.stop();
  }
}

/** A name that a person has a CSR for. */
async function uploadByPerson({ running: { clients }, spaceId }: FrontPlace, name: string): Promise<void> {
  const { id: fqdnId } = await addFqdn(clients, spaceId, name);
  await uploadCsr(clients, { spaceId, fqdnId }, name, await makeCsr(name));
}

/** A certificate of the ACME server of dummy-ca, which stands for a public CA. */
async function orderElsewhere({ running, rootFile }: FrontPlace, machine: ClientMachine): Promise<void> {
  const server = `${running.stack.plan.httpsUrl}/acme/directory`;
  const port = await freePort();
  await machine.run(
    `REQUESTS_CA_BUNDLE=${rootFile} certbot certonly -n --standalone --http-01-port ${port} --agree-tos \
     --register-unsafely-without-email --server ${server} -d ${moved}`,
  );
}
