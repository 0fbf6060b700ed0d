import type { PostgresServer } from './postgres-server.js';

let kept: PostgresServer | undefined;

/** Keeps the server from the set-up of a run until its end. */
export function keepServer(server: PostgresServer): void {
  kept = server;
}

export async function stopServer(): Promise<void> {
  await kept?.stop();
  kept = undefined;
}
