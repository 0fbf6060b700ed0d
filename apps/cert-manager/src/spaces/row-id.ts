export { newRowId } from '../access/row-id.js';
