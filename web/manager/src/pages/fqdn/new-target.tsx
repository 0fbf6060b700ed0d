import type { OwnFqdn, Target } from '@certloop/contracts/browser';
import { SendForm, useForm } from '@certloop/web-kit';
import { Modal, NativeSelect, TextInput } from '@mantine/core';
import { fqdnResource } from '../../resources.js';
import { api } from '../../service.js';

const fields = ['host', 'port', 'protocol', 'sni'] as const;

const protocols: readonly { readonly value: Target['protocol']; readonly label: string }[] = [
  { value: 'tls', label: 'TLS at once, as for HTTPS' },
  { value: 'smtp', label: 'SMTP with STARTTLS' },
  { value: 'imap', label: 'IMAP with STARTTLS' },
  { value: 'pop3', label: 'POP3 with STARTTLS' },
  { value: 'ldap', label: 'LDAP with STARTTLS' },
  { value: 'postgres', label: 'PostgreSQL' },
  { value: 'mysql', label: 'MySQL' },
  { value: 'xmpp', label: 'XMPP' },
  { value: 'ftp', label: 'FTP' },
];

/** Dialog that adds a server whose certificate is to be checked, and probes it at once. */
export function NewTarget({ fqdn, close }: { readonly fqdn: OwnFqdn; readonly close: () => void }) {
  const params = { spaceId: fqdn.spaceId, fqdnId: fqdn.id };
  const { byField, form } = useForm({
    api,
    send: (to, target) => to.createTarget({ params, body: targetOf(new FormData(target)) }),
    // its answer is in the list; a server that cannot be reached now is probed again later
    also: ({ body: { id: targetId } }) =>
      api.probeTarget({ params: { ...params, targetId } }).catch(() => undefined),
    fields,
    changes: [fqdnResource(fqdn.spaceId, fqdn.id)],
    onSuccess: close,
  });
  return (
    <Modal opened onClose={close} title="Add a server">
      <SendForm {...form} label="Add the server and probe it">
        <TargetFields fqdn={fqdn.fqdn} faults={byField} />
      </SendForm>
    </Modal>
  );
}

function TargetFields({
  fqdn,
  faults,
}: {
  readonly fqdn: string;
  readonly faults: Readonly<Record<string, string>>;
}) {
  const isWildcard = fqdn.startsWith('*.');
  return (
    <>
      <TextInput
        name="host"
        label="Host"
        description="The server or the load balancer that has the certificate."
        defaultValue={isWildcard ? '' : fqdn}
        error={faults['host']}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={1_000}
        required
        data-autofocus
      />
      <NativeSelect name="protocol" label="Protocol" data={[...protocols]} error={faults['protocol']} />
      <TextInput
        name="port"
        label="Port"
        description="Left empty, the usual one of the protocol."
        error={faults['port']}
        inputMode="numeric"
        pattern="[0-9]{1,5}"
        autoComplete="off"
      />
      <TextInput
        name="sni"
        label="Name to ask for"
        description={
          isWildcard
            ? 'A name that the wildcard covers, such as the one that clients use.'
            : 'Left empty, the name of this page.'
        }
        error={faults['sni']}
        autoComplete="off"
        spellCheck={false}
        maxLength={1_000}
        required={isWildcard}
      />
    </>
  );
}

/** The server of the form, as the API takes it. */
function targetOf(data: FormData) {
  const textOf = (name: string) => String(data.get(name) ?? '').trim();
  const [port, sni] = [textOf('port'), textOf('sni')];
  return {
    host: textOf('host'),
    ...(port !== '' && { port: Number(port) }),
    protocol: protocols.find(({ value }) => value === textOf('protocol'))?.value ?? 'tls',
    ...(sni !== '' && { sni }),
  };
}
