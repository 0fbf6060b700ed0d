import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Http01Responder {
  readonly port: number;
  /** What is answered by path: a text, or where to redirect to, or a status. */
  readonly answers: Map<string, string | { readonly location: string } | { readonly status: number }>;
  /** Value of Host of each request, in their order. */
  readonly hosts: string[];
  close(): Promise<void>;
}

/** Server of an applicant on a free port. */
export async function startHttp01Responder(): Promise<Http01Responder> {
  const answers: Http01Responder['answers'] = new Map();
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host ?? '');
    const answer = answers.get(request.url ?? '');
    if (answer === undefined) response.writeHead(404).end();
    else if (typeof answer === 'string') response.end(answer);
    else if ('location' in answer) response.writeHead(302, { Location: answer.location }).end();
    else response.writeHead(answer.status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    answers,
    hosts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
