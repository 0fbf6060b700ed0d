import { capabilitiesOf, column, executeSql, querySql, type Tx, updateRows } from '@certloop/db';
import { In } from 'typeorm';
import { emptySpaceSizes } from '../spaces/space-sizes.repository.js';
import { type FqdnRow, fqdns } from './fqdns.repository.js';

/** Whether, and how early, an FQDN is renewed automatically. */
export type RenewalSwitch = Pick<FqdnRow, 'renewalEnabled' | 'renewAfterPermille' | 'expiryAcceptedUntil'>;

/** False if there is no such FQDN. */
export async function updateRenewalSwitch(
  tx: Tx,
  { spaceId, id }: Pick<FqdnRow, 'spaceId' | 'id'>,
  change: RenewalSwitch,
): Promise<boolean> {
  return (await updateRows(tx, fqdns, { id, spaceId }, change)) === 1;
}

/** Writes the same to many FQDNs, which are locked; at least one is asked for. */
export async function updateLockedFqdns(
  tx: Tx,
  ids: readonly string[],
  change: Partial<Pick<FqdnRow, 'renewalEnabled' | 'expiryAcceptedUntil' | 'providerId' | 'owner' | 'tags'>>,
): Promise<void> {
  await updateRows<FqdnRow>(tx, fqdns, { id: In([...ids]) }, change);
}

/** Texts, provider and labels that people enter for an FQDN. */
export type FqdnTexts = Pick<FqdnRow, 'description' | 'providerId' | 'owner' | 'tags'>;

/** Writes description, provider, owner and tags. */
export async function updateFqdnTexts(tx: Tx, id: string, change: FqdnTexts): Promise<void> {
  await updateRows<FqdnRow>(tx, fqdns, { id }, change);
}

/** Writes until when the expiry of the certificate is accepted. */
export async function updateExpiryAccepted(
  tx: Tx,
  id: string,
  expiryAcceptedUntil: Date | null,
): Promise<void> {
  await updateRows(tx, fqdns, { id }, { expiryAcceptedUntil });
}

/** Deletes an FQDN with its CSRs and certificates; false when there was none. */
export async function deleteFqdnRow(tx: Tx, spaceId: string, id: string): Promise<boolean> {
  const { affected } = await tx.delete(fqdns, { id, spaceId });
  return affected === 1;
}

/** Deletes the FQDNs of a space with all that belongs to them; returns how many. */
export async function deleteFqdnsOfSpace(tx: Tx, spaceId: string): Promise<number> {
  const { affected } = await tx.delete(fqdns, { spaceId });
  return affected ?? 0;
}

/** Deletes the FQDNs of all spaces with all that belongs to them, and counts them off; returns how many. */
export async function deleteEveryFqdn(tx: Tx): Promise<number> {
  if (!capabilitiesOf(tx).hasConcurrentWriters) {
    await emptySpaceSizes(tx);
    return executeSql(tx, 'delete from fqdns');
  }
  // what was deleted is subtracted: others may add FQDNs to these spaces, and to new ones in the meantime
  const text = `with gone as (delete from fqdns returning space_id),
      sums as (select space_id, count(*) as number from gone group by space_id),
      changed as (update space_sizes z set fqdn_count = z.fqdn_count - sums.number from sums
        where z.space_id = sums.space_id)
    select count(*) as number from gone`;
  const [row] = await querySql(tx, { number: column.bigint() }, text, []);
  return row?.number ?? 0;
}
