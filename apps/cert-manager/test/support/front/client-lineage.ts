import type { Fqdn } from '@certloop/contracts';
import { updateRows } from '@certloop/db';
import { builtInCaller } from '../../../src/access/caller.js';
import { certificates } from '../../../src/certificates/certificates.repository.js';
import { findNewestCertificate } from '../../../src/certificates/newest-certificates.repository.js';
import { createEmit } from '../../../src/changes/reactions.service.js';
import { lockFqdn } from '../../../src/fqdns/fqdns.repository.js';
import type { ServerAccountRow } from '../../../src/front/accounts/server-accounts.repository.js';
import type { LineagesChanged } from '../../../src/front/lineages/lineage-events.service.js';
import { acmeServerOrders, type ServerOrderRow } from '../../../src/front/orders/server-orders.repository.js';
import { replanRenewals } from '../../../src/renewals/replan-renewals.service.js';
import { monitorOf } from '../../../src/watch-settings.js';
import type { TestApp } from '../app.js';
import { pathOf } from '../inventory.js';
import { addAcmeClient } from './acme-clients.js';
import { addServerAccount, addServerOrder, failedOrder } from './front-rows.js';

/** A client of a space, and its machine. */
export interface Machine {
  readonly clientId: string;
  readonly account: ServerAccountRow;
}

/** Adds the account of a machine of an ACME client. */
export async function addMachine(
  app: TestApp,
  { id: clientId, spaceId }: { readonly id: string; readonly spaceId: string },
  account: Partial<ServerAccountRow> = {},
): Promise<Machine> {
  return { clientId, account: await addServerAccount(app, { clientId, spaceId, ...account }) };
}

export const lineageOf = ({ account }: Machine) => account.id.replaceAll('-', '').padEnd(64, '0');

/** Has the changes of lineages followed, as the front does. */
export async function emitLineages(
  app: TestApp,
  fqdn: Fqdn,
  cause: LineagesChanged['cause'],
  change: Partial<ServerOrderRow> = {},
  lineage?: string,
): Promise<void> {
  const isWatched = monitorOf(app.config) !== undefined;
  const watch = isWatched ? { watchesExpiry: app.config.watchesExpiry } : undefined;
  const emit = createEmit({ clock: app.clock, notices: undefined, watch });
  await app.database.transaction(async (tx) => {
    const where = { fqdnId: fqdn.id, isNewest: true, ...(lineage !== undefined && { lineage }) };
    if (Object.keys(change).length > 0) await updateRows(tx, acmeServerOrders, where, change);
    await emit.lineagesChanged(tx, { fqdns: [fqdn], cause });
  });
}

/** Makes the newest certificate of an FQDN that of an order of the machine. */
export async function orderOf(app: TestApp, fqdn: Fqdn, machine: Machine): Promise<ServerOrderRow> {
  const { clientId, account } = machine;
  const lineage = lineageOf(machine);
  const newest = await app.database.transaction(async (tx) => {
    const certificate = await findNewestCertificate(tx, fqdn.id);
    if (certificate === undefined) throw new RangeError('the FQDN has a certificate');
    const ofClient = { acmeClientId: clientId, acmeAccountId: account.id, lineage };
    await updateRows(tx, certificates, { id: certificate.id }, ofClient);
    const stored = {
      caller: builtInCaller('cli', { requestId: 'test', ipAddress: '', userAgent: '' }),
      fqdn: await lockFqdn(tx, fqdn.spaceId, fqdn.id),
      certificate: { ...certificate, ...ofClient },
    };
    // the plan for it as the certificate of a person
    await replanRenewals(tx, { changes: [stored] }, app);
    await updateRows(tx, acmeServerOrders, { fqdnId: fqdn.id, lineage }, { isNewest: false });
    return certificate;
  });
  const order = await addServerOrder(app, account, {
    ...{ fqdnId: fqdn.id, fqdn: fqdn.fqdn, lineage, certificateId: newest.id },
    ...{ notBefore: newest.notBefore, notAfter: newest.expiresAt },
  });
  await emitLineages(app, fqdn, 'issued');
  return order;
}

/** Adds a lineage of an FQDN; path of the report that its machine is gone. */
export async function newLineagePath(app: TestApp, fqdn: Fqdn): Promise<string> {
  const client = await addAcmeClient(app, fqdn.spaceId);
  const machine = await addMachine(app, client);
  const lineage = lineageOf(machine);
  await addServerOrder(app, machine.account, { fqdnId: fqdn.id, fqdn: fqdn.fqdn, lineage });
  return pathOf(fqdn, `acme-lineages/${lineage}/release`);
}

/** Adds a failed order of the machine. */
export async function failOrder(app: TestApp, fqdn: Fqdn, machine: Machine): Promise<void> {
  app.clock.advance(1000);
  const lineage = lineageOf(machine);
  await addServerOrder(app, machine.account, {
    ...failedOrder,
    ...{ fqdnId: fqdn.id, fqdn: fqdn.fqdn, lineage },
  });
  await emitLineages(app, fqdn, 'failed');
}
