import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { acmeSetup } from '@certloop/contracts/browser';
import { hasProgram, startDnsServer } from '@certloop/server/testing';
import { expect } from 'vitest';
import { freePort } from '../../../src/stack-ports.js';
import type { FrontPlace } from './front-place.js';
import { canMount, haproxyOfToday, programsOfToday, startMachine } from './machine.js';
import { awaitServed } from './served-chain.js';
import { runSteps } from './shell-tools.js';
import type { Story } from './story.js';

const [loader, ...loaded] = haproxyOfToday;

/** HAProxy 3.2, which orders with the account that `certloop acme-clients register` made. */
export const haproxyTools: readonly Story[] = [
  {
    label: 'HAProxy of today',
    shows: 'orders with a registered account, renews on command',
    isThere: canMount && hasProgram(loader, 'HAProxy orders nothing of cert-manager', [...loaded, '-v']),
    play: playHaproxy,
  },
];

async function playHaproxy(place: FrontPlace): Promise<void> {
  const machine = await startMachine(programsOfToday());
  const dns = await startDnsServer();
  try {
    // it resolves names by DNS alone, which need not know this one
    dns.addresses.set('localhost', '127.0.0.1');
    const facts = await place.addClient('haproxy.test');
    const [name = ''] = facts.names;
    const port = await freePort();
    await runSteps(machine, 'haproxy', facts);
    const printed = acmeSetup('haproxy', facts).steps.find(({ language }) => language === 'haproxy');
    const configuration = printed?.text
      .replaceAll(/^ *eab-.*\n/gm, '')
      .replace('global\n', `global\n    stats socket ${controlSocket} level admin\n`)
      .replace('bind :443', `bind 127.0.0.1:${port}`);
    const timeouts = 'defaults\n    timeout connect 5s\n    timeout client 5s\n    timeout server 5s';
    const resolver = `resolvers default\n    nameserver test ${dns.address}`;
    writeFileSync(machine.at('/etc/haproxy.cfg'), `${timeouts}\n${resolver}\n${configuration}\n`);
    machine.start('haproxy -db -f /etc/haproxy.cfg');
    const first = await awaitServed(place, machine, { port, name });

    const socket = machine.at(controlSocket);
    const certificate = `@certloop/${name}`;
    // its own scheduler renews in the last twelfth of the validity
    expect(await command(socket, 'acme status')).toContain(`${certificate}\tcertloop\tScheduled`);
    await command(socket, `acme renew ${certificate}`);
    const second = await awaitServed(place, machine, { port, name }, first.id);
    expect(await place.certificatesOf(name)).toHaveLength(2);
    const params = await place.placeOf(name);
    const { body: lineages } = await place.running.clients.manager.listLineages({ params, query: {} });
    expect(lineages.map(({ agent, certificate: { id } }) => ({ agent, id }))).toEqual([
      { agent: expect.stringContaining('HAProxy'), id: second.id },
    ]);
  } finally {
    await machine.stop();
    await dns.close();
  }
}

const controlSocket = '/run/haproxy.sock';

/** What HAProxy answers to a command. */
async function command(path: string, line: string): Promise<string> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.write(`${line}\n`);
  return text(socket);
}
