import { createHash } from 'node:crypto';
import type { CreateIntegration, IntegrationDeps } from '../../create-integration.channel.js';
import { type DeliveryResult, delivered, undelivered } from '../../delivery/delivery-result.js';
import type { Delivery } from '../../integration.js';
import type { GroupSettings } from './group-kind.js';

/** Several channels under one name. */
export const groupIntegration: CreateIntegration<GroupSettings> = ({ notifyMember }) => ({
  shouldNotify: () => true,
  deliver: (delivery) => deliver(notifyMember, delivery),
});

/** One after another; those that fail do not keep the others back. */
async function deliver(
  notifyMember: IntegrationDeps['notifyMember'],
  { settings, event, channel, isTest }: Delivery<GroupSettings>,
): Promise<DeliveryResult> {
  const members = [...new Set(settings.channels)];
  let failed = 0;
  for (const channelUuid of members) {
    const own = { ...event, deliveryId: deliveryIdOf(event.deliveryId, channelUuid) };
    const result = await notifyMember({ projectId: channel.projectId, channelUuid, event: own, isTest });
    if (result?.ok === false) failed += 1;
  }
  if (failed === 0) return delivered;
  return undelivered(`${failed} out of ${members.length} notifications failed`);
}

/** Same uuid whenever the delivery is repeated, and another for every member. */
function deliveryIdOf(deliveryId: string, channelUuid: string): string {
  const hash = createHash('sha256').update(`${deliveryId} ${channelUuid}`).digest('hex');
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return [...parts, hash.slice(20, 32)].join('-');
}
