import type { CertificateDetail } from '@certloop/contracts/browser';
import {
  CodeBlock,
  CopyText,
  ErrorPanel,
  exactTime,
  Fact,
  LifeLine,
  Loaded,
  Moment,
  queryOptions,
  relativeTime,
  useNow,
  useTitle,
  WaitingPage,
} from '@certloop/web-kit';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { endOf } from '../../certificate-end.js';
import { CertificateState } from '../../certificate-state.js';
import { fqdnQuery } from '../../lookups.js';
import { providerName, useProviders } from '../../providers.js';
import { includesLevel } from '../../rights.js';
import { api } from '../../service.js';
import { SpaceCrumbs } from '../../spaces/space-crumbs.js';
import { ActionsCard } from './actions-card.js';
import { Downloads } from './downloads.js';

const route = getRouteApi('/inside/spaces/$spaceId/fqdns/$fqdnId/certificates/$certId');

/** One certificate: how long it lives, what it says, its chain, and its files. */
export function CertificatePage() {
  const { spaceId, fqdnId, certId } = route.useParams();
  const fqdn = useQuery(fqdnQuery(spaceId, fqdnId));
  const certificate = useQuery(queryOptions(api.getCertificate, { params: { spaceId, fqdnId, certId } }));
  const name = fqdn.data?.fqdn ?? 'name';
  useTitle(`Certificate of ${name}`, 'manager');
  if (certificate.isError && certificate.data === undefined) {
    return <ErrorPanel error={certificate.error} retry={() => void certificate.refetch()} />;
  }
  return (
    <>
      <SpaceCrumbs spaceId={spaceId} name={fqdn.data?.spaceName}>
        <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }}>
          {name}
        </Link>
      </SpaceCrumbs>
      <h1 className="cl-anywhere">Certificate of {name}</h1>
      <Loaded query={certificate} waiting={<WaitingPage isTitled />}>
        {(detail) => (
          <>
            <Life certificate={detail} />
            <div className="cl-columns">
              <div className="cl-column">
                <Facts certificate={detail} />
                <Extensions certificate={detail} />
              </div>
              <div className="cl-column">
                <Downloads certificate={detail} />
                {includesLevel(fqdn.data?.level, 'READ_WRITE') && <ActionsCard certificate={detail} />}
                <Chain certificate={detail} />
                <KeyFit certificate={detail} />
              </div>
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

interface Shown {
  readonly certificate: CertificateDetail;
}

function Life({ certificate }: Shown) {
  const now = useNow();
  const { notBefore, chainExpiresAt, revokedAt, revocationReason, replacedBy, spaceId, fqdnId } = certificate;
  const expiresAt = endOf(certificate);
  const hasExpired = Date.parse(expiresAt) <= now;
  const end = `${hasExpired ? 'Expired' : 'Expires'} ${relativeTime(expiresAt, now)}, on ${exactTime(expiresAt)}.`;
  return (
    <section className="cl-panel" aria-label="Validity">
      <div className="cl-row">
        <CertificateState certificate={certificate} isReplaced={replacedBy !== undefined} now={now} />
      </div>
      <LifeLine
        life={{ notBefore: Date.parse(notBefore), renewAt: undefined, expiresAt: Date.parse(expiresAt) }}
        now={now}
        sentence={end}
      />
      <p>
        Valid since {exactTime(notBefore)}. {end}
      </p>
      {chainExpiresAt !== undefined && (
        <p className="cl-strip">
          An intermediate of its chain ends before the certificate itself, which is valid until{' '}
          {exactTime(certificate.expiresAt)}. Fetch the chain again from the CA.
        </p>
      )}
      {revokedAt !== undefined && (
        <p className="cl-fault">
          Revoked on {exactTime(revokedAt)}
          {revocationReason === undefined ? '' : `, reason ${revocationReason}`}.
        </p>
      )}
      {replacedBy !== undefined && (
        <p>
          A newer certificate has replaced it:{' '}
          <Link
            to="/spaces/$spaceId/fqdns/$fqdnId/certificates/$certId"
            params={{ spaceId, fqdnId, certId: replacedBy }}
          >
            show the newer one
          </Link>
          .
        </p>
      )}
    </section>
  );
}

function Facts({ certificate }: Shown) {
  const providers = useProviders();
  const { publicKey, lastDownload, replaces, jobId, spaceId, fqdnId } = certificate;
  const names = [...certificate.dnsNames, ...certificate.ipAddresses];
  return (
    <section className="cl-panel" aria-label="Content">
      <h2>What it says</h2>
      <dl className="cl-facts">
        <Fact title="Names">{names.join(', ')}</Fact>
        <Fact title="Subject">{certificate.subject === '' ? 'none' : certificate.subject}</Fact>
        <Fact title="Issuer">{certificate.issuer}</Fact>
        <Fact title="Serial number" isMono>
          {certificate.serialNumber}
        </Fact>
        <Fact title="Key">
          {publicKey.algorithm}, {publicKey.size} bits
        </Fact>
        <Fact title="Signature">{certificate.signatureAlgorithm}</Fact>
        <Fact title="SHA-256">
          <span className="cl-mono">{certificate.sha256}</span> <CopyText text={certificate.sha256} />
        </Fact>
        <Fact title="Provider">
          {certificate.imported === true ? 'imported' : providerName(providers.data, certificate.providerId)}
        </Fact>
        <Fact title="Last download">
          {lastDownload === undefined ? (
            'none'
          ) : (
            <>
              by {lastDownload.by}, <Moment at={lastDownload.at} />
            </>
          )}
        </Fact>
      </dl>
      <div className="cl-row">
        {replaces !== undefined && (
          <Link
            to="/spaces/$spaceId/fqdns/$fqdnId/certificates/$certId"
            params={{ spaceId, fqdnId, certId: replaces }}
          >
            The certificate before
          </Link>
        )}
        {jobId !== undefined && (
          <Link to="/spaces/$spaceId/fqdns/$fqdnId" params={{ spaceId, fqdnId }} search={{ job: jobId }}>
            The request that brought it
          </Link>
        )}
      </div>
    </section>
  );
}

/** A ladder from the leaf down to what clients must trust, with the end of each certificate that is stored. */
function Chain({ certificate }: Shown) {
  const { chain, subject, issuer, sha256, expiresAt } = certificate;
  const leaf = { sha256, subject: subject === '' ? 'The certificate' : subject, issuer, expiresAt };
  const rungs = [leaf, ...chain];
  const last = chain.at(-1) ?? leaf;
  return (
    <section className="cl-panel" aria-label="Chain">
      <h2>Chain</h2>
      <ol className="cl-ladder">
        {rungs.map((rung) => (
          <li key={rung.sha256}>
            <span>{rung.subject}</span>
            <span className="cl-dim">until {exactTime(rung.expiresAt)}</span>
          </li>
        ))}
        {last.subject !== last.issuer && (
          <li>
            <span>{last.issuer}</span>
            <span className="cl-dim">not part of the file: clients must trust this CA or one above it</span>
          </li>
        )}
      </ol>
    </section>
  );
}

function KeyFit({ certificate }: Shown) {
  return (
    <section className="cl-panel" aria-label="Key">
      <h2>Does it fit your key?</h2>
      <p>Your key fits if this command prints the value below.</p>
      <CodeBlock text="openssl pkey -in your.key -pubout -outform DER | openssl dgst -sha256" />
      <p className="cl-mono">{certificate.publicKey.spkiSha256}</p>
    </section>
  );
}

function Extensions({ certificate }: Shown) {
  return (
    <details className="cl-panel">
      <summary>Extensions ({certificate.extensions.length})</summary>
      <dl className="cl-facts">
        {certificate.extensions.map(({ oid, name, critical, purposes, value }) => (
          <div className="cl-pair" key={oid}>
            <dt>
              {name}
              {critical ? ', critical' : ''}
            </dt>
            <dd className={purposes.length > 0 ? undefined : 'cl-mono'}>
              {purposes.length > 0 ? purposes.join(', ') : value}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
