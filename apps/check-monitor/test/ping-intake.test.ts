import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { IncomingPing } from '../src/pings/incoming-ping.js';
import { createPingIntake, type PingIntake } from '../src/pings/receive-ping.service.js';
import { describeMonitor, type Stage } from './support/suite.js';

function intakeOf({ app }: Stage): PingIntake {
  const { database, now } = app.accounts;
  return createPingIntake({ database, now, newUuid: randomUUID, checkLimit: 20, pingLimit: 100 });
}

function pingTo(uuid: string): IncomingPing {
  return {
    address: { target: { kind: 'uuid', uuid }, action: 'success', exitStatus: undefined, runId: undefined },
    origin: { remoteAddr: null, scheme: 'http' },
    method: 'GET',
    userAgent: '',
    body: Buffer.alloc(0),
  };
}

describeMonitor('pings that arrive together', (stage) => {
  test('one that is refused leaves the others alone', async () => {
    const made = await stage.ada.check();
    const intake = intakeOf(stage);
    const uuids = [made.uuid, randomUUID(), made.uuid];
    const outcomes = await Promise.allSettled(uuids.map((uuid) => intake.receive(pingTo(uuid))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await stage.ada.get(`/checks/${made.uuid}`)).body.n_pings).toBe(2);
  });

  test('one that breaks the transaction takes no other along', async () => {
    const made = await stage.ada.check();
    const intake = intakeOf(stage);
    const broken: IncomingPing = {
      ...pingTo(made.uuid),
      get userAgent(): string {
        throw new Error('broken');
      },
    };
    const sent = [pingTo(made.uuid), broken, pingTo(made.uuid)];
    const outcomes = await Promise.allSettled(sent.map((ping) => intake.receive(ping)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const { pings } = (await stage.ada.get(`/checks/${made.uuid}/pings/`)).body;
    expect(pings.map(({ n }: { n: number }) => n)).toEqual([2, 1]);
  });
});
