// Callers of a cert-manager behind a balancer: each kind of work on names of its own, and all kinds on a few names.
import { setTimeout as pause } from 'node:timers/promises';
import { serialNumberOf } from './authority-log.mjs';

const wait = { wait: '60' };
// a renewal that has not ended by then is reported as missing
const hangMs = 300_000;
const paramsOf = ({ spaceId, fqdnId }) => ({ spaceId, fqdnId });

/** Requires the next read to show a certificate that was acknowledged. */
async function acknowledge({ client, record }, place, pem) {
  const serialNumber = serialNumberOf(pem);
  record.nameOf(place.fqdn).acknowledged.add(serialNumber);
  const query = { order: 'desc', limit: '50' };
  const { reply: list } = await record.call('list certificates', () =>
    client.listCertificates({ params: paramsOf(place), query }),
  );
  if (list !== undefined && !list.body.some((certificate) => certificate.pem.trim() === pem.trim()))
    record.miss(`certificate ${serialNumber} of ${place.fqdn} is not in the list`);
}

/** Has the CSR of a name signed. `deps` are `{ client, record, providers, makeCsr }`, the client that of the balancer. */
export async function sign(deps, place, providerId = deps.providers.direct) {
  const { client, record } = deps;
  const kind = providerId === deps.providers.direct ? 'csr/sign' : 'csr/sign by ACME';
  record.nameOf(place.fqdn).asked += 1;
  const { reply } = await record.call(kind, () =>
    client.signCsr({ params: paramsOf(place), query: wait, body: { providerId } }),
  );
  if (reply === undefined) return;
  const { success, certificate, message } = reply.body;
  if (success && certificate !== undefined) await acknowledge(deps, place, certificate);
  else record.refuse(kind, place, message);
}

/** Requests a certificate by ACME. A replica that stops answers before the job ends: then its end is awaited. */
export async function request(deps, place) {
  const { client, record } = deps;
  const kind = 'request-certificate';
  const params = paramsOf(place);
  record.nameOf(place.fqdn).asked += 1;
  const send = () => client.requestCertificate({ params, query: wait, body: { confirmed: true } });
  const { reply } = await record.call(kind, send);
  if (reply === undefined) return;
  const { success, certificate, message } = reply.body;
  if (success && certificate !== undefined) return acknowledge(deps, place, certificate.pem);
  const id = reply.headers.location?.split('/').at(-1);
  if (id === undefined) return record.refuse(kind, place, message);
  const job = await awaitJob(deps, id);
  if (job?.certificate === undefined) record.refuse(kind, place, job?.message ?? 'the job is gone');
  else await acknowledge(deps, place, job.certificate.pem);
}

async function awaitJob({ client, record }, id) {
  for (;;) {
    const { reply } = await record.call('show job', () => client.getIssuanceJob({ params: { id } }));
    const job = reply?.body;
    if (job !== undefined && job.status !== 'running' && job.status !== 'waiting') return job;
    await pause(500);
  }
}

async function explain({ client, record }, place) {
  const send = () => client.explainRenewal({ params: paramsOf(place) });
  return (await record.call('explain renewal', send)).reply?.body;
}

/** Makes the planned renewal of a name due; false if there is none that could be. */
async function makeDue(deps, place) {
  const { client, record } = deps;
  let explanation = await explain(deps, place);
  // earlier versions postpone a renewal that is due when the CA first says when it wants it
  while (
    place.hasWindow === true &&
    explanation?.entry !== undefined &&
    explanation.plan?.rule !== 'window'
  ) {
    await pause(500);
    explanation = await explain(deps, place);
  }
  const id = explanation?.entry?.id;
  if (id === undefined) return false;
  record.nameOf(place.fqdn).asked += 1;
  // again if the replica was killed meanwhile; the renewal may be under way by then
  const run = () => client.runRenewal({ params: { id } });
  const accepted = ['conflict', 'not_found'];
  const { isCut } = await record.call('run renewal', run, accepted);
  if (isCut) await record.call('run renewal', run, accepted);
  return true;
}

/** Makes the renewals of all names due at once, and waits until each is renewed. */
async function renewBatch(deps, places) {
  const { client, record } = deps;
  const due = [];
  for (const place of places) {
    if (await makeDue(deps, place)) due.push(place);
    else record.miss(`${place.fqdn} has no planned renewal`);
  }
  for (const place of due) record.nameOf(place.fqdn).renewals += 1;
  const deadline = Date.now() + hangMs;
  for (const place of due) {
    const { renewals } = record.nameOf(place.fqdn);
    const list = () => client.listCertificates({ params: paramsOf(place) });
    while (((await record.call('list certificates', list)).reply?.body.length ?? 0) <= renewals) {
      if (Date.now() > deadline) return record.miss(`renewal ${renewals} of ${place.fqdn} did not end`);
      await pause(500);
    }
  }
}

async function upload(deps, place) {
  const { client, record, makeCsr } = deps;
  const csrPem = await makeCsr(place.fqdn);
  const file = { name: 'request.csr', contentType: 'application/pkcs10', bytes: Buffer.from(csrPem) };
  const params = paramsOf(place);
  const body = { file, fields: { spaceId: place.spaceId, fqdn: place.fqdn } };
  const { reply: stored } = await record.call('upload CSR', () => client.uploadCsr({ params, body }));
  if (stored === undefined) return;
  const query = { latest: 'true' };
  const { reply: newest } = await record.call('list CSRs', () => client.listCsrs({ params, query }));
  if (newest !== undefined && newest.body.id !== stored.body.id)
    record.miss(`a CSR of ${place.fqdn} is not the newest`);
}

async function read({ client, record }, place) {
  const { spaceId, fqdnId } = place;
  await record.call('list FQDNs', () => client.listFqdns({ params: { id: spaceId } }));
  await record.call('list jobs', () => client.listIssuanceJobs({ query: { fqdnId } }));
  await record.call('list renewals', () => client.listRenewals({ query: { spaceId } }));
  await record.call('list audit log', () => client.listAuditLogs({ query: { limit: '20' } }));
}

/** One of all kinds of work on a name. */
async function mixed(deps, place) {
  const chance = Math.random();
  if (chance < 0.4) await sign(deps, place);
  else if (chance < 0.55) await sign(deps, place, deps.providers.acme);
  else if (chance < 0.75) await request(deps, place);
  else await makeDue(deps, place);
}

/** Requests a certificate at one replica and, while the order is open, at the other: both get the same job. */
export async function requestAtBoth({ record }, place, [one, other]) {
  const params = paramsOf(place);
  const ask = (client, seconds) => () =>
    client.requestCertificate({ params, query: { wait: seconds }, body: { confirmed: true } });
  await record.call('request at one replica', ask(one, '0'));
  await record.call('request at the other', ask(other, '60'));
  const { fqdnId } = place;
  const { reply } = await record.call('list jobs', () => other.listIssuanceJobs({ query: { fqdnId } }));
  const jobs = reply?.body ?? [];
  // on a busy machine, the first job may have ended before the second call arrived
  record.nameOf(place.fqdn).asked += jobs.length;
  const begins = jobs.map(({ createdAt }) => createdAt).toSorted();
  const ends = jobs.map(({ finishedAt = '' }) => finishedAt).toSorted();
  if (begins.length === 0 || begins.slice(1).some((begin, n) => begin < ends[n]))
    record.miss(`the open job of ${place.fqdn} was not that of the other replica`);
}

/** Starts all callers; `stop` resolves when each has finished what it was doing. */
export function startLoad(deps, places, pauseMs) {
  let isStopped = false;
  const repeat = async (work) => {
    while (!isStopped) {
      await work();
      await pause(pauseMs * (0.5 + Math.random()));
    }
  };
  const each = (some, work) => some.map((place) => repeat(() => work(deps, place)));
  const callers = [
    ...each(places.sign, sign),
    ...[1, 2, 3].flatMap(() => each(places.shared, sign)),
    ...each(places.request, request),
    ...[1, 2, 3].flatMap(() => each(places.mixed, mixed)),
    ...each(places.upload, upload),
    ...each(places.upload, read),
    ...batchesOf(places.renew, 15).map((batch) => repeat(() => renewBatch(deps, batch))),
  ];
  return {
    stop: async () => {
      isStopped = true;
      await Promise.all(callers);
    },
  };
}

function batchesOf(places, size) {
  const count = Math.ceil(places.length / size);
  return Array.from({ length: count }, (_, n) => places.filter((_place, index) => index % count === n));
}
