import { describe, expect, test } from 'vitest';
import {
  type DeliveryResult,
  delivered,
  undelivered,
} from '../../src/integrations/delivery/delivery-result.js';
import type { MemberDelivery } from '../../src/integrations/integration.js';
import { groupIntegration } from '../../src/integrations/kinds/group/group.channel.js';
import { groupSettings } from '../../src/integrations/kinds/group/group-kind.js';
import { aDelivery, anEvent } from '../support/events.js';
import { integrationDeps } from '../support/integration-deps.js';

const members = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
const settings = groupSettings.parse({ channels: members });

async function deliver(results: readonly (DeliveryResult | undefined)[]) {
  const sent: MemberDelivery[] = [];
  const notifyMember = (member: MemberDelivery) => {
    sent.push(member);
    return Promise.resolve(results[sent.length - 1]);
  };
  const send = async () => delivered;
  const group = groupIntegration({ ...integrationDeps('', send), notifyMember });
  return { result: await group.deliver(aDelivery(settings)), sent };
}

describe('a group', () => {
  test('notifies each of its channels', async () => {
    const { result, sent } = await deliver([delivered, delivered]);
    expect(result).toEqual({ ok: true });
    expect(sent.map(({ channelUuid }) => channelUuid)).toEqual(members);
  });

  test('counts those that failed, and still notifies the others', async () => {
    const { result, sent } = await deliver([undelivered('no'), delivered]);
    expect(result).toEqual({ ok: false, error: '1 out of 2 notifications failed', permanent: false });
    expect(sent).toHaveLength(2);
  });

  test('a deleted channel, or one with nothing to send, is not a failure', async () => {
    expect((await deliver([undefined, undefined])).result).toEqual({ ok: true });
  });

  test('a repeated delivery has the same key for each member, and a different key for each member', async () => {
    const idsOf = ({ sent }: { sent: MemberDelivery[] }) => sent.map(({ event }) => event.deliveryId);
    const [first, again] = [idsOf(await deliver([])), idsOf(await deliver([]))];
    expect(first).toEqual(again);
    expect(new Set([...first, anEvent().deliveryId]).size).toBe(3);
    expect(first[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
