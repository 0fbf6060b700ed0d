import { type Contract, checkMonitorContract, type Endpoint } from '@certloop/contracts';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Answer, Holder } from '../support/app.js';
import { insertTestChannel } from '../support/factories.js';
import { describeMonitor } from '../support/suite.js';

const operations = Object.entries(checkMonitorContract as Contract);

describeMonitor('contract', (stage) => {
  test.each(operations)('%s answers as documented', async (name, endpoint) => {
    const { uuid } = await stage.ada.check();
    await stage.app.http.post(`/ping/${uuid}`).type('text/plain').send('text');
    if (name === 'resumeCheck') await stage.ada.post(`/checks/${uuid}/pause`);
    const channel = await insertTestChannel(stage.app, stage.ada.keys.projectId, 'ops');
    const id = endpoint.path.startsWith('/channels/') ? channel : uuid;
    const answer = await send(stage.ada, endpoint, id);
    const shape = endpoint.responses[answer.status];
    expect(shape).toBeDefined();
    if (shape?.kind === 'json') expect(z.safeParse(shape.schema, answer.body).error).toBeUndefined();
    if (shape?.kind === 'bytes') expect(answer.headers['content-type']).toBe(shape.contentType);
  });

  test.each(operations)('%s refuses a caller without a key', async (_name, { path, method }) => {
    const address = path.replace('{id}', '00000000-0000-4000-8000-000000000000').replace('{n}', '1');
    const verb = method.toLowerCase() as 'get' | 'post' | 'delete';
    await stage.app.http[verb](`/api/v3${address}`).expect(401, { error: 'missing api key' });
  });
});

function send(holder: Holder, { path, method }: Endpoint, uuid: string): Promise<Answer> {
  const address = path.replace('{id}', uuid).replace('{n}', '1');
  if (method === 'POST') return holder.post(address).then((answer) => answer);
  return (method === 'DELETE' ? holder.delete(address) : holder.get(address)).then((answer) => answer);
}
