import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import {
  type Certificate,
  type CertificateFormat,
  certificateFormats,
  certificateSearchOf,
  type FoundCertificate,
  NotFound,
  type RevocationReasonName,
  revocationReasonNames,
} from '@certloop/contracts';
import { type Command, Option } from '@commander-js/extra-typings';
import { confirm } from '../../confirm.js';
import { readPages } from '../../connection/pages.js';
import type { Manager, Session } from '../../connection/session.js';
import { UsageError } from '../../faults/command-errors.js';
import { throwWithFile } from '../../faults/system-fault.js';
import { findFqdn, listFqdnsIn } from '../../lookup.js';
import { duration, wholeNumber } from '../../numbers.js';
import { daysUntil } from '../../output/table.js';
import { endOf, expiryDay } from './certificate-end.js';

const rowOf = (certificate: Certificate) => ({
  created: certificate.createdAt.slice(0, 10),
  expires: expiryDay(certificate),
  days: daysUntil(endOf(certificate), new Date()),
  revoked: certificate.revokedAt?.slice(0, 10) ?? '',
  issuer: certificate.issuer,
  id: certificate.id,
});

/** Adds `certificates` and `expiring`. */
export function addCertificates(program: Command, open: () => Session): void {
  const certificates = program
    .command('certificates')
    .description('Certificates: list, find, get, save, download, refresh, import, revoke');
  addReads(certificates, open);
  addFind(certificates, open);
  addChanges(certificates, open);
  program
    .command('expiring')
    .description('List FQDNs whose newest certificate expires soon, the soonest first')
    .option('--within <duration>', 'how soon: days, or 2w, 36h', duration('--within', 'd', 0, 36_500), 30)
    .option('-s, --space <space>', 'only those of one space')
    .action((options) => listExpiring(open(), options));
}

function addReads(certificates: Command, open: () => Session): void {
  certificates
    .command('list <fqdn>', { isDefault: true })
    .description('List the certificates of an FQDN')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { space }) => {
      const { report, manager } = open();
      report.list(await certificatesOf(manager, named, space), rowOf);
    });
  certificates
    .command('save <fqdn>')
    .description('Write the newest certificate with its chain as PEM')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--out <file>', 'file to write; default: standard output')
    .action(async (named, { space, out }) => {
      const { io, report, manager } = open();
      const newest = (await certificatesOf(manager, named, space)).at(-1);
      if (newest === undefined) throw new NotFound(`${named} has no certificate yet`);
      if (out === undefined) return void io.out.write(newest.pem);
      await writeFile(out, newest.pem).catch(throwWithFile(out));
      report.done(`${out}: expires ${expiryDay(newest)}`, newest);
    });
  certificates
    .command('get <fqdn>')
    .description('Show a certificate of an FQDN in detail, the newest one unless an id is given')
    .option('--certificate <certificate>', 'the certificate by its id')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action((named, options) => getCertificate(open(), named, options));
  certificates
    .command('download <fqdn>')
    .description('Write a certificate in a format, the newest one unless an id is given')
    .addOption(
      new Option('--format <format>', 'format of the file')
        .choices([...certificateFormats])
        .default('fullchain'),
    )
    .option('--certificate <certificate>', 'the certificate by its id')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--out <file>', 'file to write; default: standard output')
    .action((named, options) => download(open(), named, options));
}

function addFind(certificates: Command, open: () => Session): void {
  certificates
    .command('find <text>')
    .description(
      'Find certificates by serial number, id, or the SHA-256 fingerprint of the certificate or its public key',
    )
    .option('--limit <n>', 'maximum number of results', wholeNumber('--limit', 1, 10_000), 20)
    .action(async (text, { limit }) => {
      const { report, manager } = open();
      const search = certificateSearchOf(text);
      if (search === undefined)
        throw new UsageError(
          `${text} is neither a serial number in hex, nor a SHA-256 fingerprint, nor an id`,
        );
      const pageSize = String(Math.min(limit, 1000));
      const found = await readPages(
        (cursor) => manager.findCertificates({ query: { ...search, limit: pageSize, cursor } }),
        limit,
      );
      report.list(found, foundRow);
    });
}

const foundRow = (found: FoundCertificate) => ({
  fqdn: found.fqdn,
  space: found.spaceName,
  expires: expiryDay(found),
  replaced: found.replacedAt?.slice(0, 10) ?? '',
  revoked: found.revokedAt?.slice(0, 10) ?? '',
  issuer: found.issuer,
  id: found.id,
});

function addChanges(certificates: Command, open: () => Session): void {
  certificates
    .command('refresh <fqdn>')
    .description('Read a certificate again from its provider, the newest one unless an id is given')
    .option('--certificate <certificate>', 'the certificate by its id')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, options) => {
      const { report, manager } = open();
      const { params } = await pickCertificate(manager, named, options);
      const { body } = await manager.refreshCertificate({ params });
      report.done(`read again the certificate of ${named}`, body);
    });
  certificates
    .command('import <fqdn> <file>')
    .description('Store a certificate that was issued elsewhere, with its chain as PEM; - is standard input')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, file, { space }) => {
      const { io, report, unchanged, manager } = open();
      const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
      const pem = await io.readText(file);
      const { status, body } = await manager.importCertificate({
        params: { spaceId, fqdnId },
        body: { pem },
      });
      const done = status === 201 ? 'imported' : 'has already';
      if (status !== 201) unchanged();
      if (body.unverified === true) {
        report.warn(
          'its signature could not be verified; import it with its intermediates to have it verified',
        );
      }
      report.done(`${named}: ${done} the certificate that expires ${expiryDay(body)}`, body);
    });
  certificates
    .command('revoke <fqdn>')
    .description(
      'Have the CA revoke a certificate, the newest one unless an id is given; this cannot be undone',
    )
    .option('--certificate <certificate>', 'the certificate by its id')
    .addOption(
      new Option('--reason <word>', 'reason of the revocation')
        .choices([...revocationReasonNames])
        .default('unspecified'),
    )
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('-y, --yes', 'revoke; without it, the command asks')
    .action((named, options) => revoke(open(), named, options));
}

interface Picked {
  readonly certificate?: string;
  readonly space?: string;
}

/** The newest certificate, or that of the id. Throws NotFound. */
async function pickCertificate(manager: Manager, named: string, { certificate: id, space }: Picked) {
  const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
  const { body: all } = await manager.listCertificates({ params: { spaceId, fqdnId } });
  const found = id === undefined ? all.at(-1) : all.find((certificate) => certificate.id === id);
  if (found === undefined)
    throw new NotFound(
      id === undefined
        ? `${named} has no certificate yet; certloop issue gets one`
        : `${named} has no certificate ${id}; certloop certificates ${named} lists them`,
    );
  return { found, params: { spaceId, fqdnId, certId: found.id } };
}

async function getCertificate({ report, manager }: Session, named: string, picked: Picked): Promise<void> {
  const { params } = await pickCertificate(manager, named, picked);
  const { body } = await manager.getCertificate({ params });
  report.thing(body, (found) => ({
    subject: found.subject,
    issuer: found.issuer,
    serial: found.serialNumber,
    names: [...found.dnsNames, ...found.ipAddresses].join(', '),
    from: found.notBefore,
    until: found.expiresAt,
    'chain until': found.chainExpiresAt,
    key: `${found.publicKey.algorithm} ${found.publicKey.size}`,
    sha256: found.sha256,
    revoked: found.revokedAt,
    replaced: found.replacedAt,
    id: found.id,
  }));
}

interface Download extends Picked {
  readonly format: CertificateFormat;
  readonly out?: string;
}

async function download(
  { io, report, manager }: Session,
  named: string,
  { format, out, ...picked }: Download,
): Promise<void> {
  const { found, params } = await pickCertificate(manager, named, picked);
  const { body } = await manager.downloadCertificate({ params, query: { format } });
  const bytes = await buffer(body ?? new Blob([]).stream());
  if (out === undefined) return void io.out.write(bytes);
  await writeFile(out, bytes).catch(throwWithFile(out));
  report.done(`${out}: expires ${expiryDay(found)}`, found);
}

async function certificatesOf(manager: Manager, named: string, space: string | undefined) {
  const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
  return (await manager.listCertificates({ params: { spaceId, fqdnId } })).body;
}

interface RevokeOptions {
  readonly certificate?: string;
  readonly reason: RevocationReasonName;
  readonly space?: string;
  readonly yes?: true;
}

async function revoke(
  { io, report, manager }: Session,
  named: string,
  { reason, yes, ...picked }: RevokeOptions,
): Promise<void> {
  const { found, params } = await pickCertificate(manager, named, picked);
  const expires = expiryDay(found);
  const loss = `certificate ${found.id} of ${named}, which expires ${expires}, would be revoked, which cannot be undone`;
  await confirm(io, yes, loss);
  const { body } = await manager.revokeCertificate({ params, body: { reason } });
  report.done(`revoked certificate ${found.id} of ${named} (${reason})`, body);
}

async function listExpiring(
  { report, manager }: Session,
  { within, space }: { within: number; space?: string },
): Promise<void> {
  const expiresBefore = new Date(Date.now() + within * 86_400_000).toISOString();
  const filter = { expiresBefore, sort: 'expiresAt', include: 'status' } as const;
  const soon = (await listFqdnsIn(manager, space, filter)).flatMap(({ status, ...fqdn }) => {
    if (status?.certificate === undefined) return [];
    const expiresAt = endOf(status.certificate);
    return [{ ...fqdn, expiresAt, days: daysUntil(expiresAt, new Date()) }];
  });
  report.list(soon, ({ fqdn, space: place, expiresAt, days, renewalEnabled }) => ({
    fqdn,
    space: place,
    expires: expiresAt.slice(0, 10),
    days,
    renewal: renewalEnabled ? 'on' : 'off',
  }));
}
