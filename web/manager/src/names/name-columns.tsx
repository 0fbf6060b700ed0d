import type { ChainState, Fqdn } from '@certloop/contracts/browser';
import { type Column, hostText, LifeLine, LongName, Moment, StateChip, useNow } from '@certloop/web-kit';
import { useMemo } from 'react';
import { endOf } from '../certificate-end.js';
import { providerName, useProviders } from '../providers.js';
import { RowLink } from '../row-link.js';
import { FqdnStateChip } from './fqdn-state.js';
import { issuerText } from './issuer-text.js';
import { OtherOwner } from './renewal-owner.js';
import { RenewalSwitch } from './renewal-switch.js';

/** Columns of a list of names; description and provider are omitted if no row has one. */
export function useNameColumns({
  rows,
  isOfAllSpaces,
  canWrite,
}: {
  readonly rows: readonly Fqdn[];
  readonly isOfAllSpaces: boolean;
  /** The same function as long as it says the same. */
  readonly canWrite: (fqdn: Fqdn) => boolean;
}): readonly Column<Fqdn>[] {
  const providers = useProviders().data;
  const isDescribed = !isOfAllSpaces && rows.some(({ description }) => description !== '');
  const hasProvider = rows.some(({ providerId }) => providerId !== undefined);
  return useMemo(
    () => [
      nameColumn,
      ...(isOfAllSpaces ? [spaceColumn] : []),
      ...(isDescribed ? [descriptionColumn] : []),
      stateColumn,
      lifeColumn,
      expiryColumn,
      {
        key: 'renewal',
        title: 'Renewal',
        width: '9rem',
        sort: 'renewAt',
        narrow: 'titled',
        cell: (fqdn) => <Renewal fqdn={fqdn} canWrite={canWrite(fqdn)} />,
      },
      ...(hasProvider ? [providerColumn(providers)] : []),
    ],
    [isOfAllSpaces, isDescribed, hasProvider, providers, canWrite],
  );
}

function providerColumn(providers: Parameters<typeof providerName>[0]): Column<Fqdn> {
  return {
    key: 'provider',
    title: 'Provider',
    width: '9rem',
    cell: ({ providerId }) => (providerId === undefined ? null : providerName(providers, providerId)),
  };
}

const nameColumn: Column<Fqdn> = {
  key: 'fqdn',
  title: 'Name',
  sort: 'fqdn',
  narrow: 'name',
  cell: ({ id, spaceId, fqdn, owner, tags = [] }) => (
    <>
      <RowLink to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId: id }} label={hostText(fqdn)}>
        <LongName>{fqdn}</LongName>
      </RowLink>
      {(owner !== undefined || tags.length > 0) && (
        <div className="cl-dim cl-tags" dir="auto">
          {[owner, ...tags.map((tag) => `#${tag}`)].filter((label) => label !== undefined).join(' ')}
        </div>
      )}
    </>
  ),
};

const spaceColumn: Column<Fqdn> = {
  key: 'space',
  title: 'Space',
  width: '11rem',
  cell: ({ spaceId, spaceName }) => (
    <RowLink to="/spaces/$spaceId" params={{ spaceId }}>
      <bdi>{spaceName ?? 'Space'}</bdi>
    </RowLink>
  ),
};

const descriptionColumn: Column<Fqdn> = {
  key: 'description',
  title: 'Description',
  cell: ({ description }) => (
    <span className="cl-clamp" dir="auto" title={description}>
      {description}
    </span>
  ),
};

const stateColumn: Column<Fqdn> = {
  key: 'state',
  title: 'State',
  width: '10rem',
  sort: 'attention',
  narrow: 'beside',
  cell: ({ status }) => status && <FqdnStateChip status={status} />,
};

const lifeColumn: Column<Fqdn> = {
  key: 'life',
  title: 'Life',
  width: '7rem',
  cell: (fqdn) => <Life fqdn={fqdn} />,
};

const expiryColumn: Column<Fqdn> = {
  key: 'expires',
  title: 'Expires',
  width: '11rem',
  sort: 'expiresAt',
  narrow: 'titled',
  cell: ({ status }) =>
    status?.certificate && (
      <>
        <Moment at={endOf(status.certificate)} />
        <Issuer status={status} />
      </>
    ),
};

const chainWords: Readonly<Record<ChainState, string | undefined>> = {
  complete: undefined,
  incomplete: 'chain incomplete',
  self_signed: 'self-signed',
};

/** Who issued the newest certificate; what is unusual of its chain and of its servers is below. */
function Issuer({ status }: Pick<Fqdn, 'status'>) {
  if (status?.certificate === undefined) return null;
  const { issuer, chain } = status.certificate;
  const protocols = status.protocols?.filter((protocol) => protocol !== 'tls') ?? [];
  const notes = [...(chain === undefined ? [] : [chainWords[chain] ?? []]), ...protocols].flat();
  return (
    <div className="cl-extra cl-dim">
      <span className="cl-clamp" title={issuer}>
        {issuerText(issuer)}
      </span>
      {notes.join(', ')}
    </div>
  );
}

/** How much of the lifetime of the newest certificate is over; the columns beside it say so in words. */
function Life({ fqdn: { status } }: { readonly fqdn: Fqdn }) {
  const now = useNow();
  if (status?.certificate === undefined) return null;
  const { notBefore } = status.certificate;
  const life = {
    notBefore: Date.parse(notBefore),
    renewAt: status.renewAt === undefined ? undefined : Date.parse(status.renewAt),
    expiresAt: Date.parse(endOf(status.certificate)),
  };
  return <LifeLine life={life} now={now} />;
}

/** When the name is renewed, with the switch for those who may use it. */
function Renewal({ fqdn, canWrite }: { readonly fqdn: Fqdn; readonly canWrite: boolean }) {
  const { renewalEnabled, status } = fqdn;
  const renewAt = renewalEnabled ? status?.renewAt : undefined;
  const words =
    renewAt !== undefined ? (
      <Moment at={renewAt} />
    ) : renewalEnabled ? (
      'automatic'
    ) : (
      <OtherOwner status={status} />
    );
  if (canWrite) {
    return (
      <span className="cl-row">
        <RenewalSwitch fqdn={fqdn} isOn={renewalEnabled} isInList />
        {words}
      </span>
    );
  }
  if (renewalEnabled) return words;
  return (
    <span className="cl-row">
      <StateChip tone="idle" shape="bars" word="off" />
      {words}
    </span>
  );
}
