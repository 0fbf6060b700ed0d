import type { Served, Target } from '@certloop/contracts';
import { formatPem, parseCertificate, parsePemBlocks } from '@certloop/crypto';
import { type AddressObservation, type Guard, keyAlgorithmOf, probe } from '@certloop/tls-probe';
import type { Manager, Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { findFqdn } from '../../lookup.js';

/** Probes the targets of FQDNs from here and reports what they serve to cert-manager. Whether all are well. */
export async function reportServed(
  session: Session,
  names: readonly string[],
  { guard, space }: { readonly guard: Guard; readonly space: string | undefined },
): Promise<boolean> {
  if (names.length === 0) throw new UsageError('--report: name the FQDNs whose targets are probed');
  const manager = session.manager;
  const all: Served[] = [];
  await session.progress(names.length, async (step) => {
    for (const name of names) {
      step(name);
      all.push(await reportOne(manager, name, { guard, space }));
    }
  });
  const rows = all.flatMap(({ fqdn, targets }) =>
    targets.flatMap(({ host, port, addresses }) =>
      addresses.map((one) => ({ fqdn, place: `${host}:${port}`, ...one })),
    ),
  );
  session.report.list(rows, ({ fqdn, place, address, class: found, served }) => ({
    fqdn,
    target: place,
    address: address ?? '',
    class: found,
    serial: served?.serialNumber ?? '',
  }));
  for (const { well, hint } of rows) if (!well) session.report.warn(hint);
  return rows.every(({ well }) => well);
}

async function reportOne(
  manager: Manager,
  name: string,
  { guard, space }: { readonly guard: Guard; readonly space: string | undefined },
): Promise<Served> {
  const { id: fqdnId, spaceId } = await findFqdn(manager, name, space);
  const params = { spaceId, fqdnId };
  const { body: targets } = await manager.listTargets({ params });
  if (targets.length === 0) throw new UsageError(`${name} has no targets: add one first`);
  const { body: certificates } = await manager.listCertificates({ params });
  const newest = certificates.at(-1);
  const [block] = newest === undefined ? [] : parsePemBlocks(newest.pem);
  const keyAlgorithm = block && keyAlgorithmOf(parseCertificate(block.der));
  for (const target of targets.filter(({ enabled }) => enabled)) {
    const { host, port, protocol, sni, addresses } = target;
    const found = await probe({ host, port, protocol, sni, addresses, keyAlgorithm }, { guard });
    for (const one of found) await reportAddress(manager, target, one);
  }
  return (await manager.getServed({ params })).body;
}

const maxCertificates = 10;

/** Reports what an address of a target serves. */
export async function reportAddress(
  manager: Manager,
  { spaceId, fqdnId, id: targetId }: Pick<Target, 'spaceId' | 'fqdnId' | 'id'>,
  { address, observation }: AddressObservation,
): Promise<void> {
  const observedAt = new Date().toISOString();
  const params = { spaceId, fqdnId, targetId };
  if (!('served' in observation)) {
    const { stage, fault } = observation;
    await manager.reportObservation({ params, body: { address, failure: { stage, fault }, observedAt } });
    return;
  }
  // that with our kind of key comes last, where two were served
  const { leaf, others } = observation.served.at(-1) ?? observation.served[0];
  const sent = [leaf, ...others].slice(0, maxCertificates);
  const chainPem = sent.map(({ der }) => formatPem('CERTIFICATE', der)).join('');
  await manager.reportObservation({ params, body: { address, chainPem, observedAt } });
}
