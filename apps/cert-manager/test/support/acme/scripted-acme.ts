import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  certificateLabel,
  createIssuer,
  createRoot,
  formatPem,
  type Issuer,
  issueCertificate,
  parseCsr,
} from '@certloop/crypto';
import type { Clock } from '@certloop/server';
import { listening, textOf } from '../small-server.js';

/** What a client asks for. */
export type Ask =
  | 'directory'
  | 'newAccount'
  | 'newOrder'
  | 'orders'
  | 'order'
  | 'authorization'
  | 'challenge'
  | 'finalize'
  | 'certificate'
  | 'renewalInfo';

/** An answer out of turn. */
export interface Scripted {
  readonly status: number;
  /** Name of an ACME problem. */
  readonly problem?: string;
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/**
 * One end of a conversation with an ACME client, played from a script: it looks at no signature and validates
 * nothing, so that a test can say what a CA says, and when.
 */
export interface ScriptedAcme {
  readonly directoryUrl: string;
  /** Answers the next asks of the kind with these, one after the other; undefined is what it would answer anyway. */
  script(ask: Ask, ...answers: readonly (Scripted | undefined)[]): void;
  /** What was asked, in order. */
  readonly asks: Ask[];
  /** Payloads of the orders that were placed. */
  readonly orders: readonly Readonly<Record<string, unknown>>[];
  /** CSRs that were received, in base64url. */
  readonly csrs: readonly string[];
  /** How often an order is `processing` before it is `valid`. */
  processing: number;
  /** Milliseconds that an order takes to be placed. */
  orderMs: number;
  /** Whether the account names the address of its list of orders. */
  listsOrders: boolean;
  /** Makes what is downloaded for a CSR; the CA's own certificate, without intermediates, if undefined. */
  issue: ((csrDer: Buffer) => Promise<string>) | undefined;
  /** Forgets orders, asks and script. */
  forget(): void;
  close(): Promise<void>;
}

interface Order {
  readonly payload: { readonly identifiers: readonly { readonly value: string }[] };
  isProven: boolean;
  csr: string | undefined;
  /** PEM of what was issued, once it was downloaded. */
  pem?: string;
  looks: number;
}

const day = 86_400_000;
const namespace = 'urn:ietf:params:acme:error:';

type Payload = Readonly<Record<string, unknown>>;
type Play = Readonly<Record<Ask, (id: string, payload: Payload) => Promise<Scripted>>>;

/** What the CA remembers. */
interface CaState {
  readonly clock: () => Clock;
  readonly issuer: Issuer;
  readonly settings: Pick<ScriptedAcme, 'processing' | 'listsOrders' | 'orderMs' | 'issue'>;
  readonly orders: Order[];
  /** Payloads of the orders. */
  readonly payloads: Payload[];
  readonly csrs: string[];
  base: string;
  accounts: number;
}

export async function startScriptedAcme(clock: () => Clock): Promise<ScriptedAcme> {
  const settings: CaState['settings'] = { processing: 0, listsOrders: true, orderMs: 0, issue: undefined };
  const issuer = await newIssuer();
  const state: CaState = {
    clock,
    issuer,
    settings,
    orders: [],
    payloads: [],
    csrs: [],
    base: '',
    accounts: 0,
  };
  const scripts = new Map<Ask, (Scripted | undefined)[]>();
  const asks: Ask[] = [];
  const play: Play = { ...playOrders(state), ...playProofs(state) };
  let nonce = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    nonce += 1;
    const [, path = '', id = ''] = (request.url ?? '').split('/');
    const headers = { 'replay-nonce': `nonce-${nonce}`, 'content-type': 'application/json' };
    if (path === 'nonce') return void response.writeHead(200, headers).end();
    const ask = (path === 'account' ? 'newAccount' : path) as Ask;
    asks.push(ask);
    const scripted = scripts.get(ask)?.shift();
    send(response, headers, scripted ?? (await play[ask](id, await payloadOf(request))));
  };
  const server = createServer((request, response) => void answer(request, response));
  const { url, close } = await listening(server);
  state.base = url;
  // tests change the settings, so the CA and the tests share that object
  return Object.assign(settings, {
    directoryUrl: `${url}/directory`,
    script: (ask: Ask, ...answers: readonly (Scripted | undefined)[]) =>
      void scripts.set(ask, [...(scripts.get(ask) ?? []), ...answers]),
    asks,
    orders: state.payloads,
    csrs: state.csrs,
    forget: () => {
      scripts.clear();
      settings.issue = undefined;
      for (const list of [state.orders, state.payloads, state.csrs, asks]) list.length = 0;
    },
    close,
  });
}

function send(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { status, problem, detail, body, headers: more }: Scripted,
): void {
  response.writeHead(status, { ...headers, ...more });
  if (problem !== undefined) response.end(JSON.stringify({ type: `${namespace}${problem}`, detail }));
  else response.end(body !== undefined && 'pem' in body ? String(body.pem) : JSON.stringify(body));
}

const notFound: Scripted = { status: 404, problem: 'malformed' };

/** Accounts, orders and their lists. */
function playOrders(
  state: CaState,
): Pick<Play, 'directory' | 'newAccount' | 'newOrder' | 'orders' | 'order'> {
  const { orders, settings } = state;
  return {
    directory: async () => ({ status: 200, body: directoryView(state.base) }),
    newAccount: async () => {
      state.accounts += 1;
      const url = `${state.base}/account/${state.accounts}`;
      const list = settings.listsOrders ? { orders: `${state.base}/orders/1` } : {};
      return { status: 201, headers: { location: url }, body: { status: 'valid', ...list } };
    },
    newOrder: async (_, payload) => {
      const order = { payload: payload as Order['payload'], isProven: false, csr: undefined, looks: 0 };
      const id = orders.push(order);
      state.payloads.push(payload);
      if (settings.orderMs > 0) await new Promise((resolve) => setTimeout(resolve, settings.orderMs));
      const location = `${state.base}/order/${id}`;
      return { status: 201, headers: { location }, body: orderView(state, order, id) };
    },
    orders: async () => ({
      status: 200,
      body: { orders: orders.map((_, index) => `${state.base}/order/${index + 1}`) },
    }),
    order: async (id) => {
      const order = orders[Number(id) - 1];
      if (order === undefined) return notFound;
      if (order.csr !== undefined) order.looks += 1;
      return { status: 200, body: orderView(state, order, Number(id)) };
    },
  };
}

/** Proofs of names, and certificates. */
function playProofs(
  state: CaState,
): Pick<Play, 'authorization' | 'challenge' | 'finalize' | 'certificate' | 'renewalInfo'> {
  const { orders, csrs } = state;
  return {
    authorization: async (id) => {
      const [orderId = 0, index = 0] = id.split('.').map(Number);
      const order = orders[orderId - 1];
      if (order === undefined) return notFound;
      return { status: 200, body: authorizationView(state, order, orderId, index) };
    },
    challenge: async (id) => {
      const order = orders[Number.parseInt(id, 10) - 1];
      if (order === undefined) return notFound;
      order.isProven = true;
      return { status: 200, body: { status: 'processing' } };
    },
    finalize: async (id, payload) => {
      const order = orders[Number(id) - 1];
      if (order === undefined) return notFound;
      if (order.csr !== undefined) return { status: 403, problem: 'orderNotReady' };
      order.csr = String(payload['csr']);
      csrs.push(order.csr);
      return { status: 200, body: orderView(state, order, Number(id)) };
    },
    certificate: async (id) => {
      const order = orders[Number(id) - 1];
      if (order?.csr === undefined) return notFound;
      const own = () => issue(state.issuer, order.csr ?? '', BigInt(id), state.clock().now());
      order.pem ??= (await state.settings.issue?.(Buffer.from(order.csr, 'base64url'))) ?? (await own());
      return { status: 200, body: { pem: order.pem } };
    },
    renewalInfo: async () => notFound,
  };
}

function orderView({ base, settings }: CaState, order: Order, id: number) {
  const isIssued = order.csr !== undefined && order.looks >= settings.processing;
  const open = order.isProven ? 'ready' : 'pending';
  return {
    status: order.csr === undefined ? open : isIssued ? 'valid' : 'processing',
    ...order.payload,
    authorizations: order.payload.identifiers.map((_, index) => `${base}/authorization/${id}.${index}`),
    finalize: `${base}/finalize/${id}`,
    ...(isIssued && { certificate: `${base}/certificate/${id}` }),
  };
}

function authorizationView({ base }: CaState, order: Order, id: number, index: number) {
  return {
    identifier: order.payload.identifiers[index],
    status: order.isProven ? 'valid' : 'pending',
    challenges: ['http-01', 'dns-01'].map((type) => ({
      type,
      url: `${base}/challenge/${id}.${index}`,
      status: order.isProven ? 'valid' : 'pending',
      token: `token-of-order-${id}-${index}-----`,
    })),
  };
}

/** Configuration of the ACME provider that proves names by HTTP, which the CA accepts without validation. */
export function orderingByHttp({ directoryUrl }: ScriptedAcme): object {
  const challenge = { type: 'http-01', http01: { selfCheck: 'off' } };
  return { directoryUrl, termsOfServiceAgreed: true, challenge };
}

function directoryView(base: string) {
  return {
    newNonce: `${base}/nonce`,
    newAccount: `${base}/newAccount`,
    newOrder: `${base}/newOrder`,
    revokeCert: `${base}/revoke`,
    keyChange: `${base}/keyChange`,
    renewalInfo: `${base}/renewalInfo`,
    meta: { profiles: { short: 'of six days' } },
  };
}

async function payloadOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const text = await textOf(request);
  if (text === '') return {};
  const { payload } = JSON.parse(text) as { payload: string };
  const plain = Buffer.from(payload, 'base64url').toString('utf8');
  return plain === '' ? {} : (JSON.parse(plain) as Readonly<Record<string, unknown>>);
}

async function newIssuer(): Promise<Issuer> {
  return createIssuer(
    await createRoot({
      keyKind: 'P-256',
      subject: { commonName: 'Scripted CA' },
      notBefore: new Date('2020-01-01T00:00:00Z'),
      notAfter: new Date('2060-01-01T00:00:00Z'),
      serialNumber: 1n,
    }),
  );
}

async function issue(issuer: Issuer, csrText: string, serialNumber: bigint, now: Date): Promise<string> {
  const { subjectDer, spkiDer, subjectAltNameDer } = parseCsr(Buffer.from(csrText, 'base64url'));
  const notBefore = new Date(now.getTime() - 60_000);
  const notAfter = new Date(now.getTime() + 90 * day);
  const subject = { subjectDer, spkiDer, subjectAltNameDer };
  return formatPem(
    certificateLabel,
    await issueCertificate(issuer, { serialNumber: serialNumber + 100n, ...subject, notBefore, notAfter }),
  );
}
