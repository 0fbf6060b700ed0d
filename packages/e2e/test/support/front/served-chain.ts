import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { until } from '@certloop/contracts/testing';
import { certificateLabel, formatPem } from '@certloop/crypto';
import type { FrontPlace } from './front-place.js';
import type { ClientMachine } from './machine.js';

/** The chain that a server sends, as PEM; undefined while it sends none. */
async function chainAt(port: number, servername: string): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    const { raw, issuerCertificate } = socket.getPeerCertificate(true);
    const ders = issuerCertificate === undefined ? [raw] : [raw, issuerCertificate.raw];
    return ders.map((der) => formatPem(certificateLabel, der)).join('');
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Where a server listens, and the name that it is asked for. */
export interface Served {
  readonly port: number;
  readonly name: string;
}

/** The certificate that a server sends as soon as that is not the given one; it must be the newest one of the name. */
export async function awaitServed(
  place: FrontPlace,
  machine: ClientMachine,
  { port, name }: Served,
  not?: string,
) {
  const file = machine.at('/run/served.pem');
  return until(async () => {
    const chain = await chainAt(port, name);
    const newest = (await place.certificatesOf(name).catch(() => [])).at(-1);
    if (chain === undefined || newest === undefined || newest.id === not) return false;
    writeFileSync(file, chain);
    return place.judge(name, file).catch(() => false as const);
  });
}
