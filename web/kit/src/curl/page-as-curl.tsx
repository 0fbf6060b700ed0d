import { Modal } from '@mantine/core';
import { CodeBlock } from '../parts/copy-text.js';
import { serviceUrl } from '../service/api.browser.js';
import { curlCommand, type WrittenRequest } from './curl-command.js';

/** The operation by which a program signs in: its path, and the member of its body that names the user. */
export interface ProgramSignIn {
  readonly path: string;
  readonly name: string;
}

/** Dialog with the commands that load what the page shows. */
export function PageAsCurl({
  requests,
  signIn,
  close,
}: {
  readonly requests: readonly WrittenRequest[];
  readonly signIn: ProgramSignIn;
  readonly close: () => void;
}) {
  const ways = new Set(requests.map(({ by }) => by));
  return (
    <Modal opened onClose={close} title="This page as curl" size="xl">
      <div className="cl-form">
        {requests.length === 0 && <p>This page loads nothing from the service.</p>}
        {requests.map((request) => (
          <CodeBlock key={request.url} text={curlCommand(request)} />
        ))}
        {ways.has('token') && (
          <p className="cl-dim">
            <code>$TOKEN</code> is an API token. You create one on the page “Your account”.
          </p>
        )}
        {ways.has('cookies') && (
          <>
            <p>
              <code>cookies</code> is a file with the cookie of a sign-in. Changes also need its CSRF token in{' '}
              <code>$CSRF_TOKEN</code>. This command creates the file and shows the token:
            </p>
            <CodeBlock text={signInCommand(signIn)} />
          </>
        )}
      </div>
    </Modal>
  );
}

function signInCommand({ path, name }: ProgramSignIn): string {
  const body = JSON.stringify({ [name]: '', password: '' })
    .replace('""', `"'"$USER_NAME"'"`)
    .replace('""', `"'"$PASSWORD"'"`);
  const headers = `-H 'Origin: ${new URL(serviceUrl()).origin}' -H 'Content-Type: application/json'`;
  return `curl -c cookies ${headers} -d '${body}' ${serviceUrl()}${path}`;
}
