import type { PostgresServer } from './postgres-server.js';

let running: PostgresServer | undefined;

/** Keeps the server from the set-up of a run until its end. */
export function keepServer(server: PostgresServer): void {
  running = server;
}

export async function stopServer(): Promise<void> {
  await running?.stop();
  running = undefined;
}
