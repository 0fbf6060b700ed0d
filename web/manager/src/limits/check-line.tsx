/** A check box with its label, and a sentence about it. */
export function CheckLine({
  label,
  detail,
  isOn,
  change,
}: {
  readonly label: string;
  readonly detail?: string;
  readonly isOn: boolean;
  readonly change: (isOn: boolean) => void;
}) {
  return (
    <label className="cl-check">
      <input type="checkbox" checked={isOn} onChange={(event) => change(event.currentTarget.checked)} />
      <span>
        {label}
        {detail !== undefined && <small className="cl-dim"> {detail}</small>}
      </span>
    </label>
  );
}
