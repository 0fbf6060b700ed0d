import type { WatchedServer } from '@certloop/contracts';
import { fingerprint, formatName, isIssuedBy } from '@certloop/crypto';
import { type AddressObservation, describeServed, type Guard, hintOf, probe } from '@certloop/tls-probe';
import type { Session } from '../../connection/session.js';
import { reportAddress } from './report-served.js';
import { waitingOut } from './waiting-out.js';

interface LookOptions {
  readonly spaceId: string;
  readonly watched: readonly WatchedServer[];
  readonly guard: Guard;
  readonly step: (doing: string) => void;
}

const atOnce = 8;

/** The servers, each with what it serves as seen from here, which is reported to cert-manager. */
export async function lookFromHere(
  session: Session,
  { spaceId, watched, guard, step }: LookOptions,
): Promise<WatchedServer[]> {
  const results = [...watched];
  const queue = watched.entries();
  const worker = async () => {
    for (const [index, server] of queue) {
      step(server.host);
      results[index] = await lookAtServer(session, spaceId, server, guard);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

async function lookAtServer(
  session: Session,
  spaceId: string,
  server: WatchedServer,
  guard: Guard,
): Promise<WatchedServer> {
  const { host, port, protocol, sni, fqdnId, targetId } = server;
  if (sni === undefined || fqdnId === undefined || targetId === undefined) return server;
  const { manager } = session;
  const found = await probe({ host, port, protocol, sni }, { guard });
  const target = { spaceId, fqdnId, id: targetId };
  for (const one of found) await waitingOut(session, () => reportAddress(manager, target, one));
  const { body } = await waitingOut(session, () => manager.getServed({ params: { spaceId, fqdnId } }));
  const certificateId = body.expected?.certificateId;
  const addresses = body.targets.find((one) => one.targetId === targetId)?.addresses;
  return {
    ...server,
    ...(certificateId !== undefined && { certificateId }),
    isNewCertificate: server.isNewCertificate || certificateId !== server.certificateId,
    ...(addresses !== undefined && { addresses }),
    ...seenPart(server, found),
  };
}

/** Of several certificates the one that ends first; of several failures the first. */
function seenPart(
  { host, port }: WatchedServer,
  found: readonly AddressObservation[],
): Pick<WatchedServer, 'served' | 'failure'> {
  const [served] = found
    .flatMap(({ observation }) => ('served' in observation ? observation.served : []))
    .sort((one, other) => one.leaf.notAfter.getTime() - other.leaf.notAfter.getTime());
  if (served !== undefined) return { served: presentedOf(served) };
  const [failed] = found;
  if (failed === undefined || 'served' in failed.observation) return {};
  const { address = host, observation } = failed;
  const where = address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
  const hint = hintOf(where, { class: 'unreachable', isWell: false }, observation);
  return { failure: { stage: observation.stage, failure: observation.fault, hint } };
}

type Served = Extract<AddressObservation['observation'], { readonly served: unknown }>['served'][number];

function presentedOf(seen: Served): NonNullable<WatchedServer['served']> {
  const { issuer, serialNumber, notBefore, notAfter, fingerprint: sha256, dnsNames } = describeServed(seen);
  const { leaf, others } = seen;
  const unverifiedReason = isIssuedBy(leaf, leaf)
    ? 'it is self-signed'
    : others.some((other) => isIssuedBy(leaf, other))
      ? undefined
      : 'the certificate of its issuer was not sent';
  return {
    ...{ issuer, serialNumber, notBefore, notAfter, fingerprint: sha256 },
    dnsNames: [...dnsNames],
    chain: [leaf, ...others].map((one) => ({
      subject: formatName(one.subject),
      issuer: formatName(one.issuer),
      notAfter: one.notAfter.toISOString(),
      fingerprint: fingerprint(one.der),
    })),
    verified: unverifiedReason === undefined,
    ...(unverifiedReason !== undefined && { unverifiedReason }),
  };
}
