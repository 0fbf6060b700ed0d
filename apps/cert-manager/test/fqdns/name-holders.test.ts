import { describeHolders } from './name-holders/holders-place.js';
import { testHolding } from './name-holders/holding-tests.js';
import { testLookups } from './name-holders/lookup-plans-tests.js';
import { testRefusedNames } from './name-holders/refused-names-tests.js';

describeHolders('a name that another space holds', testRefusedNames);
describeHolders('the holder of a name', testHolding);
describeHolders('a search for holders', testLookups);
