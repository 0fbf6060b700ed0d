import type { Csr, CsrReview, Fqdn, UploadedFile } from '@certloop/contracts/browser';
import {
  Choice,
  CodeBlock,
  CopyCurl,
  Fault,
  faultsOf,
  fixOf,
  Icon,
  type KeyKind,
  keyKinds,
  opensslCommand,
  type ShellKind,
} from '@certloop/web-kit';
import { Button, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { CsrFacts } from '../../csrs/csr-facts.js';
import { csrUpload, readCsrFile } from '../../csrs/csr-file.js';
import { DropZone } from '../../csrs/drop-zone.js';
import { Repair } from '../../csrs/findings.js';
import { fqdnResource } from '../../resources.js';
import { api } from '../../service.js';
import { CsrReviewPanel, needsDecision } from './csr-review-panel.js';

/** A file that was judged, and is stored once the user confirms it. */
interface Judged {
  readonly file: UploadedFile;
  readonly review: CsrReview;
}

const judgeBy = (to: typeof api, fqdn: Fqdn, file: UploadedFile) =>
  to.uploadCsr({ ...csrUpload(fqdn, file), query: { dryRun: 'true' } });

const pastedName = 'pasted.csr';

function pastedIn(form: HTMLFormElement): File {
  return new File([String(new FormData(form).get('csr'))], pastedName);
}

/** Judges a CSR, and stores it at once unless a person has to decide about it. */
function useCsrUpload(fqdn: Fqdn) {
  const store = useMutation({
    mutationFn: (file: UploadedFile) => api.uploadCsr(csrUpload(fqdn, file)),
    meta: { changes: [fqdnResource(fqdn.spaceId, fqdn.id)] },
    onSuccess: (): void => judge.reset(),
  });
  const judge = useMutation({
    mutationFn: async (chosen: File): Promise<Judged> => {
      const file = await readCsrFile(chosen);
      const reply = await judgeBy(api, fqdn, file);
      if (reply.status !== 200) throw new Error('The service has stored this CSR. Reload the page.');
      return { file, review: reply.body };
    },
    meta: { isTrial: true },
    onMutate: () => store.reset(),
    onSuccess: ({ file, review }) => {
      if (!needsDecision(review)) store.mutate(file);
    },
  });
  return { store, judge };
}

/** The newest CSR of a name, and a place for the next one: dropped, chosen or pasted. */
export function CsrCard({ fqdn, csr }: { readonly fqdn: Fqdn; readonly csr: Csr | null }) {
  const { store, judge } = useCsrUpload(fqdn);
  const choose = (file: File) => judge.mutate(file);
  const { byField, general } = faultsOf(judge.error ?? store.error, ['csr']);
  const refused = byField['csr'];
  const fix = fixOf(judge.error ?? store.error);
  const undecided = judge.isSuccess && needsDecision(judge.data.review) ? judge.data : undefined;
  // errors of a pasted text are shown at its field
  const isAtField = undecided === undefined && judge.variables?.name === pastedName;
  return (
    <DropZone label="CSR" drop={([file]) => file !== undefined && choose(file)}>
      <h2>{csr === null ? 'Create a key and a CSR' : 'CSR'}</h2>
      {csr !== null && <CsrFacts csr={csr} storedAt={csr.createdAt} />}
      <Fault>{general ?? (isAtField ? undefined : refused)}</Fault>
      {fix !== undefined && <Repair fixes={[fix]} />}
      {store.isSuccess && (
        <p className="cl-result" role="status">
          This CSR is stored. The next request uses its key.
        </p>
      )}
      {undecided === undefined ? (
        <>
          {csr === null ? (
            <Command fqdn={fqdn.fqdn} />
          ) : (
            <details>
              <summary>Create another key and CSR</summary>
              <Command fqdn={fqdn.fqdn} />
            </details>
          )}
          <Choose
            choose={choose}
            isPending={judge.isPending || store.isPending}
            fqdn={fqdn}
            refused={isAtField ? refused : undefined}
          />
        </>
      ) : (
        <CsrReviewPanel
          review={undecided.review}
          newest={csr}
          isPending={store.isPending}
          store={() => store.mutate(undecided.file)}
          discard={() => {
            judge.reset();
            store.reset();
          }}
        />
      )}
    </DropZone>
  );
}

/** The newest CSR of a name, for those who may not store another one. */
export function StoredCsrCard({ csr }: { readonly csr: Csr | null }) {
  return (
    <section className="cl-panel" aria-label="CSR">
      <h2>CSR</h2>
      {csr === null ? (
        <p className="cl-dim">No CSR is stored. It takes the level READ_WRITE on this space to store one.</p>
      ) : (
        <CsrFacts csr={csr} storedAt={csr.createdAt} />
      )}
    </section>
  );
}

const shells: readonly ShellKind[] = ['POSIX', 'PowerShell'];

const named = <Word extends string>(words: readonly Word[]) => words.map((word) => [word, word] as const);

/** The command that makes key and CSR on the machine of the user. */
function Command({ fqdn }: { readonly fqdn: string }) {
  const [key, setKey] = useState<KeyKind>('P-256');
  const [shell, setShell] = useState<ShellKind>('POSIX');
  return (
    <div className="cl-stack">
      <p>Run this on the machine that needs the certificate. The key stays there; only the CSR comes here.</p>
      <div className="cl-row">
        <Choice label="Key" value={key} choices={named(keyKinds)} choose={setKey} />
        <Choice label="Shell" value={shell} choices={named(shells)} choose={setShell} />
      </div>
      <CodeBlock text={opensslCommand(fqdn, key, shell)} />
    </div>
  );
}

interface ChooseProps {
  readonly choose: (file: File) => void;
  readonly isPending: boolean;
  readonly fqdn: Fqdn;
  /** Error of the text that was pasted last. */
  readonly refused: string | undefined;
}

/** The ways to hand over a CSR beside a drop: a button for a file, and a field to paste into. */
function Choose({ choose, isPending, fqdn, refused }: ChooseProps) {
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
            // lets the user choose the same file again after correcting it
            currentTarget.value = '';
          }}
        />
        <Button
          variant="default"
          aria-keyshortcuts="u"
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
      {isPasting && <Paste choose={choose} isPending={isPending} fqdn={fqdn} refused={refused} />}
    </>
  );
}

function Paste({ choose, isPending, fqdn, refused }: ChooseProps) {
  return (
    <form
      className="cl-form"
      onSubmit={(event) => {
        event.preventDefault();
        choose(pastedIn(event.currentTarget));
      }}
    >
      <Textarea
        name="csr"
        label="CSR in PEM"
        placeholder="-----BEGIN CERTIFICATE REQUEST-----"
        error={refused}
        minRows={6}
        autosize
        required
        classNames={{ input: 'cl-mono' }}
      />
      <div className="cl-row">
        <Button type="submit" loading={isPending}>
          Check this CSR
        </Button>
        <CopyCurl api={api} of={async (to, form) => judgeBy(to, fqdn, await readCsrFile(pastedIn(form)))} />
      </div>
    </form>
  );
}
