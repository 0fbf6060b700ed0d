import type { Csr, Fqdn } from '@certloop/contracts/browser';
import {
  CodeBlock,
  exactTime,
  Fault,
  holdsPrivateKey,
  Icon,
  type KeyKind,
  keyKinds,
  opensslCommand,
  type ShellKind,
  sentenceOf,
} from '@certloop/web-kit';
import { Button, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api } from '../../service.js';

// the service refuses more
const maxBytes = 65_536;

/** A file that the page does not send, with the reason. */
class Kept extends Error {}

/** The newest CSR of a name, and a place for the next one: dropped, chosen or pasted. */
export function CsrCard({ fqdn, csr }: { readonly fqdn: Fqdn; readonly csr: Csr | null }) {
  const [isOver, setOver] = useState(false);
  const queries = useQueryClient();
  const upload = useMutation({
    mutationFn: (file: File) => uploadFile(fqdn, file),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['fqdns', fqdn.id] }),
  });
  return (
    <section
      className="cl-panel cl-drop"
      aria-label="CSR"
      data-over={isOver || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const file = event.dataTransfer.files[0];
        if (file !== undefined) upload.mutate(file);
      }}
    >
      <h2>{csr === null ? 'Create a key and a CSR' : 'CSR'}</h2>
      {csr !== null && <CsrFacts csr={csr} />}
      <Fault>{upload.isError ? faultText(upload.error) : undefined}</Fault>
      {upload.isSuccess && (
        <p className="cl-result" role="status">
          This CSR is stored. The next request uses its key.
        </p>
      )}
      {csr === null ? (
        <Command fqdn={fqdn.fqdn} />
      ) : (
        <details>
          <summary>Create another key and CSR</summary>
          <Command fqdn={fqdn.fqdn} />
        </details>
      )}
      <Choose choose={(file) => upload.mutate(file)} isPending={upload.isPending} />
    </section>
  );
}

async function uploadFile(fqdn: Fqdn, file: File) {
  if (file.size > maxBytes) throw new Kept('This file is too large for a CSR. A CSR has a few kilobytes.');
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (holdsPrivateKey(bytes)) {
    throw new Kept(
      'That is your private key. It stays with you: nothing was sent. Choose the file that ends in .csr.',
    );
  }
  return api.uploadCsr({
    params: { spaceId: fqdn.spaceId, fqdnId: fqdn.id },
    body: {
      file: { name: file.name, contentType: 'application/octet-stream', bytes },
      fields: { spaceId: fqdn.spaceId, fqdn: fqdn.fqdn },
    },
  });
}

function faultText(error: unknown): string {
  return error instanceof Kept ? error.message : sentenceOf(error);
}

function CsrFacts({ csr }: { readonly csr: Csr }) {
  const names = [...csr.dnsNames, ...csr.ipAddresses];
  return (
    <>
      <dl className="cl-facts">
        <dt>Key</dt>
        <dd>
          {csr.publicKeyAlgorithm}, {csr.keySize} bits
        </dd>
        <dt>Names</dt>
        <dd>{names.length === 0 ? csr.subject : names.join(', ')}</dd>
        <dt>Stored</dt>
        <dd>{exactTime(csr.createdAt)}</dd>
      </dl>
      {csr.findings?.map(({ code, message }) => (
        <p className="cl-strip" key={code}>
          {message}
        </p>
      ))}
    </>
  );
}

const shells: readonly ShellKind[] = ['POSIX', 'PowerShell'];

/** The command that makes key and CSR on the machine of the user. */
function Command({ fqdn }: { readonly fqdn: string }) {
  const [key, setKey] = useState<KeyKind>('P-256');
  const [shell, setShell] = useState<ShellKind>('POSIX');
  return (
    <div className="cl-stack">
      <p>Run this on the machine that needs the certificate. The key stays there; only the CSR comes here.</p>
      <div className="cl-row">
        <Choice label="Key" options={keyKinds} chosen={key} choose={setKey} />
        <Choice label="Shell" options={shells} chosen={shell} choose={setShell} />
      </div>
      <CodeBlock text={opensslCommand(fqdn, key, shell)} />
    </div>
  );
}

function Choice<Word extends string>({
  label,
  options,
  chosen,
  choose,
}: {
  readonly label: string;
  readonly options: readonly Word[];
  readonly chosen: Word;
  readonly choose: (word: Word) => void;
}) {
  return (
    <label className="cl-row">
      {label}
      <select
        className="cl-select"
        value={chosen}
        onChange={({ currentTarget: { value } }) => {
          const word = options.find((option) => option === value);
          if (word !== undefined) choose(word);
        }}
      >
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

/** The ways to hand over a CSR beside a drop: a button for a file, and a field to paste into. */
function Choose({
  choose,
  isPending,
}: {
  readonly choose: (file: File) => void;
  readonly isPending: boolean;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [isPasting, setPasting] = useState(false);
  return (
    <>
      <div className="cl-row">
        <input
          ref={input}
          type="file"
          hidden
          aria-label="CSR file"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) choose(file);
            // the same file may be chosen again after it was mended
            currentTarget.value = '';
          }}
        />
        <Button
          variant="default"
          leftSection={<Icon name="upload" />}
          loading={isPending}
          onClick={() => input.current?.click()}
        >
          Choose the CSR file
        </Button>
        <Button variant="subtle" onClick={() => setPasting(!isPasting)} aria-expanded={isPasting}>
          Paste it
        </Button>
        <span className="cl-dim">or drop the file here</span>
      </div>
      {isPasting && (
        <form
          className="cl-form"
          onSubmit={(event) => {
            event.preventDefault();
            const text = String(new FormData(event.currentTarget).get('csr'));
            choose(new File([text], 'pasted.csr'));
          }}
        >
          <Textarea
            name="csr"
            label="CSR in PEM"
            placeholder="-----BEGIN CERTIFICATE REQUEST-----"
            minRows={6}
            autosize
            required
            withAsterisk={false}
            classNames={{ input: 'cl-mono' }}
          />
          <div className="cl-row">
            <Button type="submit" loading={isPending}>
              Store this CSR
            </Button>
          </div>
        </form>
      )}
    </>
  );
}
