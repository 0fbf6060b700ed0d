import { describe, expect, test } from 'vitest';
import { signatureHeaders, webhookKeyOf } from './webhook-signature.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

describe('a webhook signature', () => {
  test('equals the example of Standard Webhooks', () => {
    const key = webhookKeyOf(secret);
    const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
    const message = { id, sentAt: new Date(1_614_265_330_000), body: '{"test": 2432232314}' };
    expect(signatureHeaders(key === undefined ? [] : [key], message)).toEqual({
      'webhook-id': id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  test.each([
    ['one without its prefix', secret.slice(6)],
    ['one that is too short', `whsec_${Buffer.alloc(23).toString('base64')}`],
    ['one that is too long', `whsec_${Buffer.alloc(65).toString('base64')}`],
    ['one that is not base64', `whsec_${'ä'.repeat(40)}`],
  ])('rejects a key of %s', (_situation, given) => {
    expect(webhookKeyOf(given)).toBeUndefined();
  });
});
