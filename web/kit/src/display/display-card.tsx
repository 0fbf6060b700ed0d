import { useNow } from '../clock.browser.js';
import { exactTime } from '../times.js';
import { ColorChoice } from './color-choice.js';
import {
  changeDisplay,
  type Density,
  densities,
  type TimeZone,
  timeZones,
  useDisplay,
} from './display.browser.js';

const densityTexts: Readonly<Record<Density, string>> = {
  compact: 'Compact',
  usual: 'Usual',
  roomy: 'Roomy',
};
const zoneTexts: Readonly<Record<TimeZone, string>> = { browser: 'That of this browser', UTC: 'UTC' };

/** How pages look in this browser: colors, density of tables, zone of moments. */
export function DisplayCard() {
  const { density, timeZone } = useDisplay();
  const now = useNow();
  return (
    <section className="cl-panel cl-stack" aria-label="Display">
      <h2>Display</h2>
      <p className="cl-dim">It applies to this browser.</p>
      <ColorChoice />
      <Choice
        title="Density of tables"
        options={densities}
        texts={densityTexts}
        chosen={density}
        choose={(chosen) => changeDisplay({ density: chosen })}
      />
      <Choice
        title="Time zone"
        options={timeZones}
        texts={zoneTexts}
        chosen={timeZone}
        choose={(chosen) => changeDisplay({ timeZone: chosen })}
      />
      <p className="cl-dim">It is {exactTime(new Date(now).toISOString())}.</p>
    </section>
  );
}

function Choice<Option extends string>({
  title,
  options,
  texts,
  chosen,
  choose,
}: {
  readonly title: string;
  readonly options: readonly Option[];
  readonly texts: Readonly<Record<Option, string>>;
  readonly chosen: Option;
  readonly choose: (option: Option) => void;
}) {
  return (
    <fieldset className="cl-fieldset">
      <legend>{title}</legend>
      {options.map((option) => (
        <label key={option} className="cl-check">
          <input type="radio" name={title} checked={option === chosen} onChange={() => choose(option)} />
          {texts[option]}
        </label>
      ))}
    </fieldset>
  );
}
