import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodeName, encodeUpdate, signMessage, updateFault } from './dns-message.js';

const update = {
  id: 0x1234,
  zone: 'example.org',
  name: '_acme-challenge.www.example.org',
  value: 'abc',
} as const;
const zone = '076578616d706c65036f726700';
const name = `0f5f61636d652d6368616c6c656e676503777777${zone}`;

describe('an update of a TXT record (RFC 2136)', () => {
  // header: id, opcode 5, one zone, no prerequisite, one update, nothing additional
  const header = '123428000001000000010000';
  test.each([
    ['that adds it', 'add' as const, '00100001', '0000003c'],
    ['that deletes it and no other', 'delete' as const, '001000fe', '00000000'],
  ])('%s', (_, act, typeAndClass, lifetime) => {
    expect(encodeUpdate({ ...update, act }).toString('hex')).toBe(
      `${header}${zone}00060001${name}${typeAndClass}${lifetime}000403616263`,
    );
  });

  test('is signed over the message and the fields of the TSIG record (RFC 8945 §4.3)', () => {
    const message = encodeUpdate({ ...update, act: 'add' });
    const key = { name: 'Key.', secret: new Uint8Array(Buffer.from('a secret of some length')) };
    const signed = signMessage(message, key, new Date(0x5f5e1000 * 1000));
    const keyName = '036b657900';
    const algorithm = '0b686d61632d73686132353600';
    const time = '00005f5e1000';
    const variables = Buffer.from(`${keyName}00ff00000000${algorithm}${time}012c00000000`, 'hex');
    const mac = createHmac('sha256', key.secret).update(message).update(variables).digest('hex');
    const rdata = `${algorithm}${time}012c0020${mac}123400000000`;
    const length = (rdata.length / 2).toString(16).padStart(4, '0');
    const counted = Buffer.from(message);
    counted.writeUInt16BE(1, 10);
    expect(signed.toString('hex')).toBe(
      `${counted.toString('hex')}${keyName}00fa00ff00000000${length}${rdata}`,
    );
  });
});

test.each([
  ['done', '1234a8000000000000000000', undefined],
  ['refused', '1234a8050000000000000000', 'REFUSED'],
  ['not of this zone', '1234a80a0000000000000000', 'NOTZONE'],
  ['badly signed', '1234a8090000000000000000', 'NOTAUTH'],
  ['an answer to another message', '9999a8000000000000000000', 'the answer is to another message'],
  ['no answer to an update', '123480000000000000000000', 'the answer is not a response to an update'],
  ['cut off', '1234', 'the answer is to another message'],
])('an answer: %s', (_, hex, fault) => {
  expect(updateFault(Buffer.from(hex, 'hex'), 0x1234)).toBe(fault);
});

test('a name has labels of at most 63 octets', () => {
  expect(encodeName('A.b.').toString('hex')).toBe('0161016200');
  expect(() => encodeName(`${'a'.repeat(64)}.b`)).toThrow(RangeError);
});
