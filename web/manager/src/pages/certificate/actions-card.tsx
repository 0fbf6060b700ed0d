import type { CertificateDetail } from '@certloop/contracts/browser';
import { ConfirmDialog, Fault, sentenceOf, useNow } from '@certloop/web-kit';
import { Button, NativeSelect } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { providerName, useProviders } from '../../providers.js';
import { fqdnResource } from '../../resources.js';
import { api } from '../../service.js';

/** Reasons of a revocation that people choose between (RFC 5280 §5.3.1). */
const reasons = [
  { value: 'superseded', label: 'Another certificate replaces it' },
  { value: 'keyCompromise', label: 'Others may know its private key' },
  { value: 'cessationOfOperation', label: 'The name is not used any more' },
  { value: 'affiliationChanged', label: 'The organization has changed' },
  { value: 'privilegeWithdrawn', label: 'The owner may not use the name any more' },
  { value: 'unspecified', label: 'Another reason' },
] as const;
type Reason = (typeof reasons)[number]['value'];

/** Shows what can be done with a certificate at its provider: read it again, or revoke it. */
export function ActionsCard({ certificate }: { readonly certificate: CertificateDetail }) {
  const providers = useProviders();
  const [isAsking, setAsking] = useState(false);
  const { spaceId, fqdnId, id: certId, providerId, revokedAt, providerStatus } = certificate;
  const params = { spaceId, fqdnId, certId };
  const refresh = useMutation({
    mutationFn: async () => (await api.refreshCertificate({ params })).body,
    meta: { changes: [fqdnResource(spaceId, fqdnId)] },
  });
  const now = useNow();
  const isOver = revokedAt !== undefined || Date.parse(certificate.expiresAt) <= now;
  const provider = providerName(providers.data, providerId);
  if (certificate.imported === true || providerId === undefined) return null;
  return (
    <section className="cl-panel" aria-label="At the provider">
      <h2>At the provider</h2>
      {(refresh.data?.providerStatus ?? providerStatus) === 'missing' && (
        <p className="cl-fault">
          The provider does not know this certificate any more. The stored one stays.
        </p>
      )}
      <p className="cl-dim">{provider} issued it.</p>
      <div className="cl-row">
        <Button variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
          Read it again
        </Button>
        {!isOver && (
          <Button variant="default" color="red" onClick={() => setAsking(true)}>
            Revoke…
          </Button>
        )}
      </div>
      <Fault>
        {refresh.isError ? `${sentenceOf(refresh.error)} The stored certificate stays.` : undefined}
      </Fault>
      {refresh.isSuccess && refresh.data.providerStatus !== 'missing' && (
        <p className="cl-result" role="status">
          The certificate was read again from {provider}.
        </p>
      )}
      {isAsking && (
        <RevokeDialog certificate={certificate} provider={provider} close={() => setAsking(false)} />
      )}
    </section>
  );
}

function RevokeDialog({
  certificate,
  provider,
  close,
}: {
  readonly certificate: CertificateDetail;
  readonly provider: string;
  readonly close: () => void;
}) {
  const { spaceId, fqdnId, id: certId, serialNumber, replacedBy } = certificate;
  const [reason, choose] = useState<Reason>('superseded');
  const params = { spaceId, fqdnId, certId };
  return (
    <ConfirmDialog
      title="Revoke this certificate?"
      label="Revoke the certificate"
      act={() => api.revokeCertificate({ params, body: { reason } })}
      changes={[fqdnResource(spaceId, fqdnId)]}
      close={close}
    >
      <p className="cl-anywhere">
        {provider} revokes the certificate with the serial number {serialNumber}. Clients may refuse it from
        then on. This cannot be undone.
        {replacedBy === undefined &&
          ' It is the newest one of this name: request another one first, and install it.'}
      </p>
      <NativeSelect
        label="Reason"
        value={reason}
        data={reasons}
        onChange={({ currentTarget: { value } }) => {
          const chosen = reasons.find((one) => one.value === value);
          if (chosen !== undefined) choose(chosen.value);
        }}
      />
    </ConfirmDialog>
  );
}
