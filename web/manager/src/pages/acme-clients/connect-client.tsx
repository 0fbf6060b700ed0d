import {
  type AcmeClient,
  type AcmeTool,
  type AllowedNames,
  acmeSetup,
  acmeTools,
  exampleNames,
  faultsOfSetup,
  type SetupFacts,
  type SetupField,
  toolLabel,
} from '@certloop/contracts/browser';
import { Choice, CodeBlock, CopyText, Fact } from '@certloop/web-kit';
import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { entriesIn } from '../../limits/text-entries.js';

/** A client whose machines are set up, with its key as long as that is known here. */
export interface ConnectedClient {
  readonly client: AcmeClient;
  readonly hmacKey: string | undefined;
  readonly warnings: readonly string[];
}

/** Stands in commands for a key that is no longer known. */
const unknownKey = 'YOUR_KEY';

/** Commands and files that connect machines, filled in; a new key is shown here only. */
export function ConnectClient({
  connected: { client, hmacKey, warnings },
  allowed,
  close,
}: {
  readonly connected: ConnectedClient;
  readonly allowed: AllowedNames | null;
  readonly close: () => void;
}) {
  const { directoryUrl, kid, name } = client;
  const isSecure = directoryUrl.startsWith('https:');
  const [typed, change] = useState<Typed>({
    names: exampleNames(client.names ?? allowed).join(' '),
    rootFile: isSecure ? '/etc/ssl/certloop-root.pem' : '',
    reload: 'systemctl reload nginx',
    email: '',
  });
  const facts = { directoryUrl, kid, hmacKey: hmacKey ?? unknownKey, clientName: name, ...factsIn(typed) };
  return (
    <>
      <div className="cl-title">
        <h2>Connect {name}</h2>
        <Button variant="default" onClick={close}>
          Back to the list
        </Button>
      </div>
      {warnings.map((warning) => (
        <p key={warning} className="cl-strip">
          {warning}
        </p>
      ))}
      <section className="cl-panel" aria-label="Key">
        <p className={hmacKey === undefined ? 'cl-dim' : 'cl-strip'}>
          {hmacKey === undefined
            ? `The key was shown once, when it was created: put it in the place of ${unknownKey}, or create a new key.`
            : 'Copy the key or the commands now: the key is shown this once. It opens exactly the names of this client.'}
        </p>
        <dl className="cl-facts">
          <Fact title="Directory" isMono>
            {directoryUrl}
          </Fact>
          <Fact title="Key identifier" isMono>
            {kid}
          </Fact>
          {hmacKey !== undefined && (
            <Fact title="Key" isMono>
              {hmacKey} <CopyText text={hmacKey} label="Copy the key" />
            </Fact>
          )}
        </dl>
      </section>
      <Commands
        facts={facts}
        typed={typed}
        set={(part) => change((before) => ({ ...before, ...part }))}
        isSecure={isSecure}
      />
    </>
  );
}

interface Typed {
  readonly names: string;
  readonly rootFile: string;
  readonly reload: string;
  readonly email: string;
}

function factsIn({ names, rootFile, reload, email }: Typed) {
  const textOf = (text: string) => (text.trim() === '' ? undefined : text.trim());
  return { names: entriesIn(names), rootFile: textOf(rootFile), reload, email: textOf(email) };
}

function Commands({
  facts,
  typed,
  set,
  isSecure,
}: {
  readonly facts: SetupFacts;
  readonly typed: Typed;
  readonly set: (part: Partial<Typed>) => void;
  readonly isSecure: boolean;
}) {
  const [tool, choose] = useState<AcmeTool>('certbot');
  const faults = faultsOfSetup(facts);
  const [fault] = Object.values(faults);
  return (
    <section className="cl-panel" aria-label="Commands">
      <Choice
        label="ACME client"
        value={tool}
        choices={acmeTools.map((one) => [one, toolLabel(one)] as const)}
        choose={choose}
      />
      <div className="cl-form">
        <SetupInputs typed={typed} set={set} faults={faults} isSecure={isSecure} />
      </div>
      {fault === undefined ? (
        <SetupSteps tool={tool} facts={facts} />
      ) : (
        <p className="cl-dim">The commands are shown once the fields above are right.</p>
      )}
    </section>
  );
}

function SetupInputs({
  typed,
  set,
  faults,
  isSecure,
}: {
  readonly typed: Typed;
  readonly set: (part: Partial<Typed>) => void;
  readonly faults: Readonly<Partial<Record<SetupField, string>>>;
  readonly isSecure: boolean;
}) {
  return (
    <>
      <TextInput
        label="Names of the certificate"
        value={typed.names}
        onChange={({ currentTarget: { value } }) => set({ names: value })}
        error={faults.names}
        autoCapitalize="none"
        spellCheck={false}
      />
      {isSecure && (
        <TextInput
          label="File of the root"
          description="Where the machine has the root of the CA that issued the certificate of this address. Empty: the machine trusts that CA already."
          value={typed.rootFile}
          onChange={({ currentTarget: { value } }) => set({ rootFile: value })}
          error={faults.rootFile}
          spellCheck={false}
        />
      )}
      <TextInput
        label="Command that reloads the server"
        value={typed.reload}
        onChange={({ currentTarget: { value } }) => set({ reload: value })}
        error={faults.reload}
        spellCheck={false}
      />
      <TextInput
        label="Mail address"
        description="Of those who look after the machine. It may be empty."
        type="email"
        value={typed.email}
        onChange={({ currentTarget: { value } }) => set({ email: value })}
        error={faults.email}
      />
    </>
  );
}

function SetupSteps({ tool, facts }: { readonly tool: AcmeTool; readonly facts: SetupFacts }) {
  const { steps, notes } = acmeSetup(tool, facts);
  return (
    <>
      {steps.map(({ title, text }) => (
        <section key={title} className="cl-stack" aria-label={title}>
          <h3>{title}</h3>
          <CodeBlock text={text} />
        </section>
      ))}
      {notes.map((note) => (
        <p key={note} className="cl-dim">
          {note}
        </p>
      ))}
    </>
  );
}
