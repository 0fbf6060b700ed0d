import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  certificateLabel,
  createIssuer,
  createRoot,
  csrLabels,
  exportSpki,
  formatPem,
  generateKeyPair,
  type Issuer,
  issueCertificate,
  parseCsr,
  parsePem,
} from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import { listening, textOf } from '../small-server.js';
import { busy, flood, json, limited, redirect, text } from './ca-answers.js';
import { createFakeRevocations, type FakeRevocations } from './fake-revocations.js';
import { type Counted, createCounted, createGate, type Gate } from './held-answers.js';

/** How the CA answers a request to sign. */
export type Manner =
  | 'normally'
  | 'for another key'
  | 'with a further name'
  | 'by a foreign root'
  | 'with a refusal'
  | 'with a fault'
  | 'with a demand to wait'
  | 'with a rate limit'
  | 'never'
  | 'without end'
  | 'without a certificate'
  | 'without JSON'
  /** Issues, and a gateway before it says 502. */
  | 'with the answer of a gateway'
  | 'with a redirect'
  | 'with an expired certificate'
  /** It began 25 days ago and has 5 more. */
  | 'with a certificate that is due'
  | 'when let go'
  /** Issues, and never says so. */
  | 'with silence'
  /** Issues, but does not show the root. */
  | 'without its root'
  /** Only what is needed, and times as other programs write them. */
  | 'with few words';

/** A CA with the API of the dummy one, idempotency keys included, which can also misbehave. Its certificates are valid by the test's clock. */
export interface FakeCa {
  readonly url: string;
  readonly revocations: FakeRevocations;
  answer(manner: Manner): void;
  /** Lets the answers go that wait for it. */
  release(): void;
  /** What comes of the work, while every answer that waits is let go. */
  letGoUntil<T>(work: Promise<T>): Promise<T>;
  rootPem(): string;
  /** Starts again, as after a crash: another root, and no memory of what was issued. */
  restart(): Promise<void>;
  /** Puts another certificate in the place of an issued one. */
  swap(id: string, pem: string): void;
  readonly ids: readonly string[];
  /** Resolves when so many certificates have been issued since the start. */
  hasIssued(count: number): Promise<void>;
  /** `validity_days` of each request. */
  readonly validityDays: readonly unknown[];
  /** Paths that were asked for. */
  readonly paths: readonly string[];
  /** Most requests to sign that were under way at once. */
  readonly maxConcurrent: () => number;
  close(): Promise<void>;
}

const day = 86_400_000;

/** What a CA remembers, and how it answers. */
interface CaState {
  readonly clock: Clock;
  issuer: Issuer;
  readonly foreign: Issuer;
  readonly issued: Map<string, string>;
  readonly idByKey: Map<string, string>;
  readonly validityDays: unknown[];
  manner: Manner;
  serial: bigint;
  readonly gate: Gate;
  readonly counted: Counted;
}

export async function startFakeCa(clock: Clock): Promise<FakeCa> {
  const issued = new Map<string, string>();
  const state: CaState = {
    clock,
    issuer: await newIssuer(clock, 'Fake CA'),
    foreign: await newIssuer(clock, 'Fake CA'),
    issued,
    idByKey: new Map(),
    validityDays: [],
    manner: 'normally',
    serial: 1n,
    gate: createGate(),
    counted: createCounted(() => issued.size),
  };
  const paths: string[] = [];
  const signing = countConcurrent((request, response) => sign(state, request, response));
  const revocations = createFakeRevocations(clock, () => issued.values());
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    paths.push(path);
    if (revocations.handle(path, request, response)) return undefined;
    if (path === '/csr') return void signing.answer(request, response);
    if (path === '/health') return json(response, 200, { status: 'healthy' });
    if (path === '/root' && state.manner === 'without its root') return busy(response);
    if (path === '/root') return text(response, 200, pemOf(state.issuer));
    return find(state, path.replace('/certificate/', ''), response);
  });
  const { url, close } = await listening(server);
  return {
    url,
    revocations,
    answer: (next) => {
      state.manner = next;
    },
    release: state.gate.release,
    letGoUntil: (work) => letGoUntil(state.gate, work),
    rootPem: () => pemOf(state.issuer),
    restart: async () => {
      state.issuer = await newIssuer(clock, 'Fake CA');
      issued.clear();
      state.idByKey.clear();
    },
    swap: (id, pem) => void issued.set(id, pem),
    get ids() {
      return [...issued.keys()];
    },
    hasIssued: state.counted.reached,
    validityDays: state.validityDays,
    paths,
    maxConcurrent: signing.max,
    close,
  };
}

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The same answers, and how many at most were under way at once. */
function countConcurrent(answer: Answer): { readonly answer: Answer; readonly max: () => number } {
  let underWay = 0;
  let max = 0;
  const counted: Answer = async (request, response) => {
    underWay += 1;
    max = Math.max(max, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    await answer(request, response);
  };
  return { answer: counted, max: () => max };
}

async function letGoUntil<T>(gate: Gate, work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  work.then(end, end);
  while (!isDone) {
    gate.release();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return work;
}

async function sign(state: CaState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { issued, idByKey } = state;
  const body = JSON.parse(await textOf(request)) as { csr: string; validity_days: number };
  state.validityDays.push(body.validity_days);
  // in what manner then, may have changed in the meantime
  if (state.manner === 'when let go') await state.gate.wait();
  if (misbehave(state.manner, response)) return;
  const key = request.headers['idempotency-key'] ?? randomUUID();
  const findIssued = () => {
    const known = idByKey.get(String(key)) ?? '';
    const before = issued.get(known);
    return before === undefined ? undefined : signed(known, before);
  };
  const pem = findIssued() === undefined ? await pemFor(state, body) : '';
  // another request with the same key may have been quicker
  const before = findIssued();
  if (before !== undefined) return json(response, 200, before);
  const id = randomUUID();
  issued.set(id, pem);
  idByKey.set(String(key), id);
  state.counted.note();
  if (state.manner === 'with few words') json(response, 200, { id, certificate: pem });
  else if (state.manner === 'with the answer of a gateway') text(response, 502, 'bad gateway');
  else if (state.manner !== 'with silence') json(response, 200, signed(id, pem));
}

/** Answers without a certificate where the manner is such; false where one is to be issued. */
function misbehave(manner: Manner, response: ServerResponse): boolean {
  if (manner === 'with a refusal') json(response, 400, { error: 'this CSR\nis not liked' });
  else if (manner === 'with a fault') json(response, 500, { error: 'signing failed' });
  else if (manner === 'with a demand to wait') busy(response);
  else if (manner === 'with a rate limit') limited(response);
  else if (manner === 'without end') flood(response);
  else if (manner === 'without JSON') text(response, 200, 'certificate');
  else if (manner === 'with a redirect') redirect(response, '/elsewhere');
  else return manner === 'never';
  return true;
}

async function pemFor(
  state: CaState,
  { csr, validity_days: days }: { readonly csr: string; readonly validity_days: number },
): Promise<string> {
  const { manner } = state;
  if (manner === 'without a certificate') return 'no certificate';
  return issue(manner === 'by a foreign root' ? state.foreign : state.issuer, {
    csrPem: Buffer.from(csr, 'base64').toString('utf8'),
    days,
    serialNumber: state.serial++,
    manner,
    now: state.clock.now(),
  });
}

/** Answers a request for a certificate by its id. */
function find({ manner, issued, clock }: CaState, id: string, response: ServerResponse): void {
  const certificate = issued.get(id);
  const now = clock.now().toISOString();
  const createdAt = manner === 'with few words' ? now.replace('Z', '123') : now;
  if (manner === 'with a fault') text(response, 500, 'out of order');
  else if (manner === 'never') return;
  else if (certificate === undefined) text(response, 404, 'no certificate with that id');
  else json(response, 200, { id, certificate, created_at: createdAt });
}

async function newIssuer(clock: Clock, commonName: string): Promise<Issuer> {
  const now = clock.now().getTime();
  return createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName },
      notBefore: new Date(now - 3650 * day),
      notAfter: new Date(now + 36_500 * day),
      serialNumber: 1n,
    }),
  );
}

function pemOf({ certificate }: Issuer): string {
  return formatPem(certificateLabel, certificate.der);
}

interface Request {
  readonly csrPem: string;
  readonly days: number;
  readonly serialNumber: bigint;
  readonly manner: Manner;
  readonly now: Date;
}

async function issue(issuer: Issuer, { csrPem, days, serialNumber, manner, now }: Request): Promise<string> {
  const csr = parseCsr(parsePem(csrPem, csrLabels));
  const { dnsNames } = csr.subjectAltNames;
  const other = manner === 'for another key' ? await generateKeyPair('P-256') : undefined;
  // a minute back, as clocks differ; whole seconds, as a certificate holds no less
  const begin = Math.floor(now.getTime() / 1000) * 1000 - 60_000;
  const isOld = manner === 'with an expired certificate';
  const isDue = manner === 'with a certificate that is due';
  const late = isDue ? 25 * day : 0;
  const der = await issueCertificate(issuer, {
    serialNumber,
    subjectDer: csr.subjectDer,
    spkiDer: other === undefined ? csr.spkiDer : exportSpki(other.publicKey),
    notBefore: new Date(isOld ? begin - 30 * day : begin - late),
    notAfter: new Date(isOld ? begin - day : begin + days * day - late),
    ...(manner === 'with a further name'
      ? { subjectAltNames: { dnsNames: [...dnsNames, 'stray.example.org'] } }
      : { subjectAltNameDer: csr.subjectAltNameDer }),
  });
  return formatPem(certificateLabel, der);
}

function signed(id: string, certificate: string): object {
  return { id, status: 'success', message: 'signed', certificate };
}
