import { csvLine, type Fqdn, type Provider } from '@certloop/contracts/browser';
import { Fault, Icon, type ListOptions, saveFile, sentenceOf } from '@certloop/web-kit';
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { endOf } from '../certificate-end.js';
import { type FqdnFilter, fqdnList } from '../lookups.js';
import { providerName, useProviders } from '../providers.js';

// the service has no more in a page
const namesAtOnce = 1_000;

const titles = [
  'name',
  'space',
  'description',
  'owner',
  'tags',
  'state',
  'reason',
  'expires',
  'issuer',
  'serial number',
  'renewal',
  'renewed by',
  'chain',
  'protocols',
  'renewed at',
  'provider',
  'id',
];

/** Button that saves all names that match a filter, also those that are not loaded, as comma-separated values. */
export function ExportNames({
  spaceId,
  spaceName,
  filter,
}: {
  readonly spaceId: string | undefined;
  readonly spaceName: string | undefined;
  readonly filter: FqdnFilter;
}) {
  const providers = useProviders().data;
  const save = useMutation({
    mutationFn: async () => {
      const lines = [csvLine(titles)];
      const names: ListOptions<Fqdn> = fqdnList(spaceId, filter, namesAtOnce);
      const { signal } = new AbortController();
      let cursor: string | undefined;
      do {
        const { rows, next } = await names.load(cursor, signal);
        lines.push(...rows.map((fqdn) => csvLine(cellsOf(fqdn, spaceName, providers))));
        cursor = next;
      } while (cursor !== undefined);
      saveFile('names.csv', 'text/csv', lines.join(''));
    },
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="upload" size={16} />}
        loading={save.isPending}
        onClick={() => save.mutate()}
      >
        Export as CSV
      </Button>
      <Fault>{save.isError ? sentenceOf(save.error) : undefined}</Fault>
    </>
  );
}

function cellsOf(
  fqdn: Fqdn,
  spaceName: string | undefined,
  providers: readonly Provider[] | undefined,
): readonly string[] {
  const { status } = fqdn;
  const { certificate } = status ?? {};
  return [
    fqdn.fqdn,
    fqdn.spaceName ?? spaceName ?? '',
    fqdn.description,
    fqdn.owner ?? '',
    (fqdn.tags ?? []).join(' '),
    status?.state ?? '',
    status?.reason ?? '',
    certificate === undefined ? '' : endOf(certificate),
    certificate?.issuer ?? '',
    certificate?.serialNumber ?? '',
    fqdn.renewalEnabled ? 'on' : 'off',
    status?.renewedBy ?? '',
    certificate?.chain ?? '',
    status?.protocols?.join(' ') ?? '',
    status?.renewAt ?? '',
    fqdn.providerId === undefined ? '' : providerName(providers, fqdn.providerId),
    fqdn.id,
  ];
}
