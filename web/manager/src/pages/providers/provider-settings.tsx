import type { Provider } from '@certloop/contracts/browser';
import { settingAt, shownSettings } from '@certloop/web-kit';
import { type ProviderField, providerFields } from './provider-fields.js';

/** The settings of a provider as they are; of a secret only whether it is set. */
export function ProviderSettings({ provider: { kind, config } }: { readonly provider: Provider }) {
  const fields = providerFields[kind];
  const typed = shownSettings(config, fields);
  return (
    <section className="cl-panel" aria-label="Settings">
      <h2>Settings</h2>
      {/* the labels are sentences: on a phone they must leave room for the values */}
      <dl className="cl-facts" style={{ gridTemplateColumns: 'minmax(0, 3fr) minmax(0, 2fr)' }}>
        {fields
          .filter(({ isUsed }) => isUsed?.(typed) ?? true)
          .map((field) => (
            <Setting
              key={field.path}
              field={field}
              value={settingAt(config, field.path)}
              text={typed[field.path]}
            />
          ))}
      </dl>
      <details>
        <summary>All settings</summary>
        <pre className="cl-code">{JSON.stringify(config, undefined, 2)}</pre>
      </details>
    </section>
  );
}

function Setting({
  field: { label, type, choices },
  value,
  text = '',
}: {
  readonly field: ProviderField;
  readonly value: unknown;
  readonly text: string | undefined;
}) {
  const shown = choices?.find((choice) => choice.value === text)?.label ?? text;
  const isSet = type === 'secret' ? value !== undefined : shown !== '';
  return (
    <>
      <dt>{label}</dt>
      <dd>{type === 'flag' ? flagText(value) : !isSet ? 'not set' : type === 'secret' ? 'set' : shown}</dd>
    </>
  );
}

function flagText(value: unknown): string {
  return value === true ? 'yes' : 'no';
}
