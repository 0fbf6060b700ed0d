// What tables take on the disk, with their indexes.

/** Rows of the tables named: bytes of the table and of its indexes, for each of its rows. */
export async function tableSizes({ database }, names) {
  const rows = [];
  for (const name of names) rows.push(describe(name, await sizeOf(database, name)));
  return rows;
}

function describe(name, { count, table, indexes }) {
  const each = (bytes) => Math.round(bytes / count).toLocaleString('en');
  const megabytes = Math.round((table + indexes) / 1e6).toLocaleString('en');
  const figure = `${megabytes} MB; each ${each(table)} + ${each(indexes)} bytes of indexes`;
  const what = `${count.toLocaleString('en')} ${name}`;
  process.stderr.write(`  ${what}: ${figure}\n`);
  return { what, figure };
}

async function sizeOf(database, name) {
  const [{ count }] = await database.read((tx) => tx.query(`select count(*) as count from ${name}`));
  const sizes = database.dialect.name === 'postgres' ? postgresSize(name) : sqliteSize(name);
  const [{ whole, indexes }] = await database.read((tx) => tx.query(sizes));
  return { count: Number(count), table: Number(whole) - Number(indexes), indexes: Number(indexes) };
}

function postgresSize(name) {
  return `select pg_total_relation_size('${name}') as whole, pg_indexes_size('${name}') as indexes`;
}

function sqliteSize(name) {
  return `select sum(pgsize) as whole, sum(case when s.name <> '${name}' then pgsize else 0 end) as indexes
    from dbstat s join sqlite_schema m on m.name = s.name where m.tbl_name = '${name}' and aggregate = true`;
}
