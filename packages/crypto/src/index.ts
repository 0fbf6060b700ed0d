export { describeExtension, type Extension, type ExtensionDescription } from './extensions.js';
export {
  encodeGeneralNames,
  type GeneralNames,
  type GeneralNamesInput,
  parseGeneralNames,
} from './general-names.js';
export { formatIpAddress, parseIpAddress } from './ip-addresses.js';
export { describeName, encodeName, type SubjectFields } from './names.js';
export {
  certificateLabel,
  csrLabels,
  formatPem,
  type PemBlock,
  parsePem,
  parsePemBlocks,
  splitChain,
} from './pem.js';
