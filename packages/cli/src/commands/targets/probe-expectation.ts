import { rootCertificates } from 'node:tls';
import { type Certificate, parseCertificate, parsePemBlocks } from '@certloop/crypto';
import type { Expectation, Protocol } from '@certloop/tls-probe';
import type { Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findFqdn } from '../../lookup.js';

export interface ProbeOptions {
  readonly starttls?: Exclude<Protocol, 'tls'>;
  readonly sni?: string;
  readonly cert?: string;
  readonly fqdn?: string;
  readonly space?: string;
  readonly ca?: string;
  readonly grace: number;
  readonly target?: string;
  readonly report?: true;
}

export async function expectationOf(
  session: Session,
  { cert, fqdn, space, grace: graceSeconds }: ProbeOptions,
): Promise<Expectation | undefined> {
  if (cert !== undefined) {
    const [newest, ...issuedWith] = await readCertificates(session, '--cert', cert);
    if (newest === undefined) throw new UsageError(`--cert: ${cert} contains no certificate`);
    return { newest, issuedWith, earlier: [], graceSeconds };
  }
  if (fqdn === undefined) return undefined;
  const { manager } = session;
  const { id: fqdnId, spaceId } = await findFqdn(manager, fqdn, space);
  const { body } = await manager.listCertificates({ params: { spaceId, fqdnId } });
  const last = body.at(-1);
  const [newest, ...issuedWith] = last === undefined ? [] : certificatesIn(last.pem);
  if (last === undefined || newest === undefined)
    throw new UsageError(`--fqdn: ${fqdn} has no certificate yet`);
  const earlier = body.slice(0, -1).flatMap(({ pem }, index) => {
    const [certificate] = certificatesIn(pem);
    const next = body[index + 1]?.createdAt;
    return certificate && next ? [{ certificate, replacedAt: new Date(next) }] : [];
  });
  return { newest, issuedWith, earlier, graceSeconds };
}

export async function readCertificates(
  { io }: Session,
  option: string,
  file: string,
): Promise<Certificate[]> {
  const text = await io.readText(file);
  return understood(() => certificatesIn(text), `${option}: ${file}: `);
}

const certificatesIn = (pem: string): Certificate[] =>
  parsePemBlocks(pem)
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ der }) => parseCertificate(der));

/** Roots that Node trusts; one of an old kind that cannot be read is omitted. */
export function systemRoots(): Certificate[] {
  return rootCertificates.flatMap((pem) => {
    try {
      return certificatesIn(pem);
    } catch {
      return [];
    }
  });
}

export function understood<T>(read: () => T, context = ''): T {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${context}${(error as Error).message}`);
  }
}
