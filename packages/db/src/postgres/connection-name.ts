/** Name of the connections to PostgreSQL, unless the URL has one; those of versions before encryption had `certloop`. */
export const connectionName = 'certloop/2';
