import { describe, expect, test } from 'vitest';
import { isFormerUnsubscribeLink } from './former-link.js';

const channelUuid = '00000000-0000-4000-8000-000000000300';
const secret = 'the former secret';
// made by TimestampSigner of Django 5.2 with the salt "alerts"
const token = '90ad509310e97a9530454960c386748e5bad9d460703b2a4563f49abf534f20a';
const signature = `${token}:1xV7iE:PBnP8HQUci1gpUk6MgLi5dUV0h78SzJ7inrvIm5HnlA`;

describe('link to unsubscribe that Healthchecks made', () => {
  test('is accepted under its secret', () => {
    expect(isFormerUnsubscribeLink(secret, { purpose: 'unsub', channelUuid }, signature)).toBe(true);
  });

  test.each([
    ['without a former secret', undefined, 'unsub', channelUuid, signature],
    ['under another secret', 'another', 'unsub', channelUuid, signature],
    ['to agree', secret, 'verify', channelUuid, signature],
    ['for another channel', secret, 'unsub', channelUuid.replace('300', '301'), signature],
    ['of another time', secret, 'unsub', channelUuid, signature.replace('1xV7iE', '1xV7iF')],
    ['without a time', secret, 'unsub', channelUuid, signature.replace(':1xV7iE', '')],
    ['without a signature', secret, 'unsub', channelUuid, token],
    ['of many letters', secret, 'unsub', channelUuid, `${token}:é:é`],
  ] as const)('is refused %s', (_situation, former, purpose, uuid, given) => {
    expect(isFormerUnsubscribeLink(former, { purpose, channelUuid: uuid }, given)).toBe(false);
  });
});
