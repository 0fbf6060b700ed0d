import { calibratedMs } from '@certloop/contracts/testing';
import { executeSql } from '@certloop/db';
import { describeEachDialect } from '@certloop/db/testing';
import { watchStretches } from '@certloop/server/testing';
import { expect, test } from '@jest/globals';
import { openAlertStage } from '../support/alerts.js';
import { insertUpChecks } from '../support/factories.js';

const day = 24 * 3600 * 1000;

describeEachDialect('checks that go down at the same time', (open) => {
  const stage = openAlertStage(open);

  /** Checks that notify all channels and whose pings have not come for days. */
  async function insertOverdue(count: number): Promise<void> {
    const { app, ada } = stage;
    const { projectId } = ada.keys;
    await insertUpChecks(app, projectId, count);
    const assign = `insert into check_channels (check_id, channel_id) select c.id, x.id from checks c
      join channels x on x.project_id = c.project_id where c.project_id = $1`;
    await app.database.transaction((tx) => executeSql(tx, assign, [projectId]));
    app.clock.advance(3 * day);
  }

  test('are marked as down with turns for everything else in between', async () => {
    const hook = await stage.webhook();
    await insertOverdue(5_000);
    const stretches = watchStretches();
    await stage.app.tick();
    const maxMs = await stretches.stop();
    expect(await stage.log(hook)).toHaveLength(1_000);
    expect(maxMs ?? 0).toBeLessThan(calibratedMs(50));
  });
});
