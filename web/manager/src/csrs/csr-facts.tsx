import type { Csr, CsrReview } from '@certloop/contracts/browser';
import { exactTime, Fact } from '@certloop/web-kit';
import { Findings } from './findings.js';

/** Shows what a CSR says, and what its holder should know of it. */
export function CsrFacts({ csr, storedAt }: { readonly csr: Csr | CsrReview; readonly storedAt?: string }) {
  const names = namesOf(csr);
  return (
    <>
      <dl className="cl-facts">
        <Fact title="Key">
          {csr.publicKeyAlgorithm}, {csr.keySize} bits
        </Fact>
        <Fact title="Names">{names.length === 0 ? csr.subject : names.join(', ')}</Fact>
        {storedAt !== undefined && <Fact title="Stored">{exactTime(storedAt)}</Fact>}
      </dl>
      <Findings findings={csr.findings ?? []} />
    </>
  );
}

/** DNS names and addresses that a CSR asks for. */
export function namesOf({ dnsNames, ipAddresses }: Csr | CsrReview): readonly string[] {
  return [...dnsNames, ...ipAddresses];
}
