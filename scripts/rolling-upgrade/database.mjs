// What cert-manager has stored, by SQL that fits the tables of the versions that are upgraded.

/** Conditions of rows that some process must still work on. Tables of other versions are left out. */
const openRows = {
  renewal_queue: "status = 'processing' or (status = 'pending' and scheduled_at <= now())",
  issuances: "state in ('queued', 'running', 'waiting', 'unknown')",
};

async function tablesOf(database) {
  const { rows } = await database.query(
    // a view for processes of another version repeats the rows of a table
    "select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'",
  );
  return rows.map((row) => row.table_name);
}

/** How many open rows each table has. */
export async function countOpenRows(database) {
  const tables = await tablesOf(database);
  const counts = {};
  for (const [table, condition] of Object.entries(openRows)) {
    if (!tables.includes(table)) continue;
    const { rows } = await database.query(`select count(*) as count from ${table} where ${condition}`);
    counts[table] = Number(rows[0].count);
  }
  return counts;
}

/** All certificates, and whether the audit log names them. */
export async function readStored(database) {
  const { rows } = await database.query(
    'select c.id, f.fqdn, c.serial_number from certificates c join fqdns f on f.id = c.fqdn_id',
  );
  const named = new Set();
  const { rows: entries } = await database.query(
    'select cast(resource_id as text) || cast(details as text) as text from audit_logs',
  );
  for (const { text } of entries)
    for (const [id] of text.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)) named.add(id);
  return rows.map(({ id, fqdn, serial_number: serialNumber }) => ({
    fqdn,
    serialNumber,
    isAudited: named.has(id),
  }));
}

/** How many certificates the audit log reports that may have been issued and could not be stored. */
export async function countReportedLosses(database) {
  const { rows } = await database.query(
    `select count(*) as count from audit_logs where action = 'certificate.issue'
     and cast(details as text) like '%"outcome": "failure"%' and cast(details as text) like '%spkiSha256%'`,
  );
  return Number(rows[0].count);
}
