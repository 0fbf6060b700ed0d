interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly (readonly [value: Value, label: string])[];
  readonly choose: (value: Value) => void;
}

/** A choice between a few values, each with its label. */
export function Choice<Value extends string>({ label, value, choices, choose }: ChoiceProps<Value>) {
  return (
    <label className="cl-row">
      {label}
      <select
        className="cl-select"
        value={value}
        onChange={({ currentTarget }) => choose(currentTarget.value as Value)}
      >
        {choices.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
