import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { renewalIdOf } from '@certloop/acme-server/rules';
import { AcmeClient } from '@certloop/acme-server/testing';
import type { AcmeClient as ClientOfSpace, NewAcmeClient, Provider, Space } from '@certloop/contracts';
import { parseCertificate, parsePemBlocks } from '@certloop/crypto';
import type { OpenTestDatabase } from '@certloop/db/testing';
import { createTestServer } from '@certloop/server/testing';
import type { SuiteApp, TestApp, TestAppOptions } from '../app.js';
import type { FakeCa } from '../cas/fake-ca.js';
import { addSpace } from '../inventory.js';
import { providerOf, startAppWithCa } from '../signing.js';
import { addAcmeClient, withKeys } from './acme-clients.js';

type ClientSettings = Partial<Record<keyof ClientOfSpace, unknown>>;

/** The application with a CA, listening for ACME clients. */
export interface FrontPlace {
  readonly app: SuiteApp;
  readonly ca: FakeCa;
  readonly provider: Provider;
  /** Environment of the application, for processes beside it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Address of the service. */
  readonly base: string;
  /** Creates an ACME client of a space, of a new one if none is named; the CA is its provider. */
  addClient(settings?: ClientSettings, spaceId?: string): Promise<NewAcmeClient>;
  /** A program that has registered an account with the key of an ACME client. */
  register(client: NewAcmeClient): Promise<AcmeClient>;
  /** Both: an ACME client of a new space, and a program with an account of it. */
  addProgram(settings?: ClientSettings): Promise<Program>;
  /** Identifier of the first certificate of the text in renewalInfo. */
  renewalIdOf(pem: string): string;
  close(): Promise<void>;
}

export interface Program {
  readonly client: NewAcmeClient;
  readonly program: AcmeClient;
  readonly space: Space;
}

export async function startFront(
  open: OpenTestDatabase,
  environment: Readonly<Record<string, string>> = {},
  options: TestAppOptions = {},
): Promise<FrontPlace> {
  const given = { ...withKeys, ...environment };
  const { app, ca, close } = await startAppWithCa(open, given, options);
  const listener = await listenTo(app);
  const provider = await providerOf(app, 'dummy-ca');
  const addClient = async (settings: ClientSettings = {}, spaceId?: string) =>
    addAcmeClient(app, spaceId ?? (await addSpace(app)).id, { providerId: provider.id, ...settings });
  const register = async (client: NewAcmeClient) => {
    const program = new AcmeClient(listener.base);
    await program.register({ externalAccountBinding: program.binding(client) });
    return program;
  };
  return {
    app,
    ca,
    provider,
    environment: { DUMMY_CA_URL: ca.url, ...given },
    base: listener.base,
    addClient,
    register,
    addProgram: async (settings) => {
      const space = await addSpace(app);
      const client = await addClient(settings, space.id);
      return { client, space, program: await register(client) };
    },
    renewalIdOf: (pem) => renewalIdOf(parseCertificate(parsePemBlocks(pem)[0]?.der ?? Buffer.alloc(0))),
    close: async () => {
      await listener.close();
      await close();
    },
  };
}

/** Lets programs reach an application, also another process beside the one of the place. */
export async function listenTo(app: Pick<TestApp, 'http'>) {
  const server = createTestServer(app.http).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
