import { describe, expect, test } from '@jest/globals';
import {
  type DeliveryResult,
  delivered,
  undelivered,
} from '../../src/integrations/delivery/delivery-result.js';
import { createGroup } from '../../src/integrations/kinds/group/group.channel.js';
import { groupSettings } from '../../src/integrations/kinds/group/group-kind.js';
import type { MemberDelivery } from '../../src/integrations/kinds/group/member-delivery.js';
import { aDelivery, anEvent } from '../support/events.js';

const members = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const settings = groupSettings.parse({ channels: members });

async function tell(results: readonly (DeliveryResult | undefined)[]) {
  const told: MemberDelivery[] = [];
  const group = createGroup({
    notifyMember: (member) => {
      told.push(member);
      return Promise.resolve(results[told.length - 1]);
    },
  });
  return { result: await group.deliver(aDelivery(settings)), told };
}

describe('a group', () => {
  test('tells each of its channels', async () => {
    const { result, told } = await tell([delivered, delivered]);
    expect(result).toEqual({ ok: true });
    expect(told.map(({ channelUuid }) => channelUuid)).toEqual(members);
  });

  test('counts those that failed, and tells the others all the same', async () => {
    const { result, told } = await tell([undelivered('no'), delivered]);
    expect(result).toEqual({ ok: false, error: '1 out of 2 notifications failed', permanent: false });
    expect(told).toHaveLength(2);
  });

  test('a channel that is gone or has nothing to tell is no failure', async () => {
    expect((await tell([undefined, undefined])).result).toEqual({ ok: true });
  });

  test('a repeated delivery has the same name for each member, and another for each', async () => {
    const idsOf = ({ told }: { told: MemberDelivery[] }) => told.map(({ event }) => event.deliveryId);
    const [first, again] = [idsOf(await tell([])), idsOf(await tell([]))];
    expect(first).toEqual(again);
    expect(new Set([...first, anEvent().deliveryId]).size).toBe(3);
    expect(first[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
