import { basename } from 'node:path';
import type { Csr, CsrFinding } from '@certloop/contracts';
import { parsePemBlocks } from '@certloop/crypto';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../../connection/session.js';
import { findFqdn } from '../../lookup.js';
import { findingText } from '../../output/finding-text.js';

const rowOf = ({ createdAt, subject, publicKeyAlgorithm, keySize, dnsNames, id }: Partial<Csr>) => ({
  created: createdAt?.slice(0, 10),
  subject,
  key: `${publicKeyAlgorithm} ${keySize}`,
  names: dnsNames?.join(', '),
  id,
});

/** A row of a list also has the codes of the findings. */
const listRowOf = (csr: Csr) => ({
  ...rowOf(csr),
  findings: csr.findings?.map(({ code }) => code).join(' '),
});

/** Prints the findings and what repairs them beside the output. */
function warnOf(report: Session['report'], findings: readonly CsrFinding[] = []): void {
  for (const line of findingText(findings).split('\n')) if (line !== '') report.warn(line);
}

/** Adds `csrs`. */
export function addCsrs(program: Command, open: () => Session): void {
  const csrs = program.command('csrs').description('CSRs of an FQDN: list, get, create');
  csrs
    .command('list <fqdn>', { isDefault: true })
    .description('List the CSRs of an FQDN')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { space }) => {
      const { report, manager } = open();
      const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
      report.list([(await manager.listCsrs({ params: { spaceId, fqdnId } })).body].flat(), listRowOf);
    });
  csrs
    .command('get <fqdn>')
    .description('Print the newest CSR of an FQDN as PEM')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .action(async (named, { space }) => {
      const { report, manager } = open();
      const { id: fqdnId, spaceId } = await findFqdn(manager, named, space);
      const query = { latest: 'true' as const };
      const [csr] = [(await manager.listCsrs({ params: { spaceId, fqdnId }, query })).body].flat();
      report.text(csr?.csrPem ?? '', csr);
      warnOf(report, csr?.findings);
    });
  csrs
    .command('create <fqdn> <file>')
    .description('Store a CSR for an FQDN, to be signed later; - is standard input')
    .option('-s, --space <space>', 'space of the FQDN, by name or id')
    .option('--dry-run', 'only validate it')
    .option('--if-not-exists', 'succeed if the newest CSR is the same')
    .action((named, file, options) => createCsr(open(), named, file, options));
}

interface NewCsr {
  readonly space?: string;
  readonly dryRun?: true;
  readonly ifNotExists?: true;
}

async function createCsr(
  session: Session,
  named: string,
  file: string,
  { space, dryRun, ifNotExists }: NewCsr,
): Promise<void> {
  const { io, report, manager } = session;
  const { id: fqdnId, spaceId, fqdn } = await findFqdn(manager, named, space);
  const params = { spaceId, fqdnId };
  const pem = await io.readText(file);
  if (ifNotExists === true) {
    const [newest] = [(await manager.listCsrs({ params, query: { latest: 'true' } })).body].flat();
    if (newest !== undefined && isSamePem(newest.csrPem, pem)) {
      session.unchanged();
      return report.thing(newest, rowOf);
    }
  }
  const { body } = await manager.uploadCsr({
    params,
    query: dryRun === true ? { dryRun: 'true' } : {},
    body: {
      file: { name: basename(file), contentType: 'application/pkcs10', bytes: Buffer.from(pem) },
      fields: { spaceId, fqdn },
    },
  });
  report.thing(body, rowOf);
  warnOf(report, body.findings);
}

/** Whether both contain the same CSR; the text around it and the line endings may differ. */
export function isSamePem(stored: string, given: string): boolean {
  const [first, second] = [stored, given].map((pem) => {
    const [block] = parsePemBlocks(pem);
    return block === undefined ? undefined : Buffer.from(block.der).toString('base64');
  });
  return first !== undefined && first === second;
}
