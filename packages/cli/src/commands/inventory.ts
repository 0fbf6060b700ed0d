import { pipeline } from 'node:stream/promises';
import type { Inventory, RenewalOwner } from '@certloop/contracts';
import type { Command } from '@commander-js/extra-typings';
import type { Session } from '../connection/session.js';
import { findSpace } from '../lookup.js';

/** Adds `inventory`. */
export function addInventory(program: Command, open: () => Session): void {
  program
    .command('inventory')
    .description(
      'Count the FQDNs by issuer, intermediate, key and who renews them; with -o csv, a line for each FQDN',
    )
    .option('-s, --space <space>', 'only the FQDNs of one space')
    .action(({ space }) => showInventory(open(), space));
}

async function showInventory(session: Session, space: string | undefined): Promise<void> {
  const { io, report, manager, format } = session;
  const query = space === undefined ? {} : { spaceId: (await findSpace(manager, space)).id };
  if (format === 'csv') {
    const { body } = await manager.exportInventory({ query });
    return pipeline(body, io.out as NodeJS.WritableStream, { end: false });
  }
  const { body } = await manager.getInventory({ query });
  if (format !== 'table' && format !== 'wide') return report.thing(body, totalsOf);
  report.list(rowsOf(body), (row) => row);
}

const totalsOf = ({ names, unfinished }: Inventory) => ({ names, 'without a certificate': unfinished });

const owners: Readonly<Record<RenewalOwner, string>> = {
  certloop: 'CertLoop',
  acme_client: 'an ACME client',
  elsewhere: 'elsewhere',
  none: 'nothing that is known',
};

/** The counts as lines of one table. */
function rowsOf({ names, unfinished, issuers, authorities, keys, renewedBy }: Inventory) {
  const row = (by: string, value: string, count: number, ends?: string) => ({
    by,
    value,
    ends: ends?.slice(0, 10),
    names: count,
  });
  return [
    row('all', 'FQDNs', names),
    ...(unfinished > 0 ? [row('all', 'without a certificate', unfinished)] : []),
    ...renewedBy.map((one) => row('renewed by', owners[one.renewedBy], one.names)),
    ...issuers.map((one) => row('issuer', one.issuer, one.names)),
    ...authorities.map((one) => row('intermediate', one.subject, one.names, one.expiresAt)),
    ...keys.map((one) => row('key', one.key, one.names)),
  ];
}
