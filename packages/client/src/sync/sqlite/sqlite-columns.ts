import { type SqlColumn, type SqlCondition, UNKNOWN, withoutCase } from './sql-condition.ts'
import type { SyncSqlDatabase } from './sql-database.ts'

/** Limits for apps that make queries from what a user types. */
const MAX_COLUMNS = 60
const MAX_INDEXES = 60

const LINKS = `
  CREATE TABLE IF NOT EXISTS quire_links
    (type TEXT NOT NULL, attribute TEXT NOT NULL, target TEXT NOT NULL, key TEXT NOT NULL,
     PRIMARY KEY (type, attribute, target, key)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS quire_links_key ON quire_links (key, attribute);`

/**
 * Values of attributes, in a table for each type, with the indexes that the queries of the app
 * create. An index over JSON would read the whole rows.
 */
export class SqliteColumns {
  readonly #database: SyncSqlDatabase
  readonly #columns = new Map<string, readonly SqlColumn[]>()

  constructor(database: SyncSqlDatabase) {
    this.#database = database
  }

  /** False if the columns of a condition cannot be made. With an order, they get an index. */
  prepare(type: string, condition: SqlCondition, order: readonly SqlColumn[]): boolean {
    const used = distinct([...condition.equal, ...order, ...condition.columns])
    if (used.length === 0) return true
    return this.#succeeds(() => {
      this.#addColumns(type, used)
      if (condition.equal.length + order.length > 0) this.#addIndex(type, used)
    })
  }

  /** The rows with a link to a document among several. */
  linkedTo(type: string, attribute: string, documentId: string): SqlCondition {
    if (!this.#succeeds(() => this.#addLinks(type, attribute))) return UNKNOWN
    return {
      ...UNKNOWN,
      sql: 'key IN (SELECT key FROM quire_links WHERE type = ? AND attribute = ? AND target = ?)',
      values: [type, attribute, documentId],
    }
  }

  /** False if the database refuses, for example because the disk is full. */
  #succeeds(task: () => void): boolean {
    try {
      task()
      return true
    } catch {
      this.#columns.clear()
      return false
    }
  }

  #columnsOf(type: string): readonly SqlColumn[] {
    const known = this.#columns.get(type)
    if (known !== undefined) return known
    const read = this.#names(`SELECT name FROM pragma_table_info(${quoted(tableOf(type))})`)
    const columns = [...read].flatMap((name) => toColumn(name) ?? [])
    this.#columns.set(type, columns)
    return columns
  }

  #addColumns(type: string, used: readonly SqlColumn[]): void {
    const before = this.#columnsOf(type)
    const all = distinct([...before, ...used])
    if (all.length === before.length) return
    if (all.length > MAX_COLUMNS) throw new Error('too many columns')
    const table = `"${tableOf(type)}"`
    const members = all.map(({ sql }) => sql).join(', ')
    const values = (row: string): string => all.map((column) => valueOf(column, row)).join(', ')
    this.#database.withTransactionSync(() => {
      this.#database.execSync(`
        DROP TABLE IF EXISTS ${table};
        CREATE TABLE ${table} (key TEXT PRIMARY KEY, locale TEXT, ${members}) WITHOUT ROWID;
        INSERT INTO ${table} SELECT key, locale, ${values('quire_rows')} FROM quire_rows
          WHERE type = ${quoted(type)};`)
      this.#followRows(type, 'values', {
        put: `INSERT OR REPLACE INTO ${table} VALUES (new.key, new.locale, ${values('new')});`,
        gone: `DELETE FROM ${table} WHERE key = old.key;`,
      })
    })
    this.#columns.set(type, all)
  }

  #addIndex(type: string, columns: readonly SqlColumn[]): void {
    const name = [tableOf(type), ...columns.map(({ sql }) => sql.slice(1, -1))].join(' ')
    const known = this.#names(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'quire:%'",
    )
    if (known.has(name) || known.size >= MAX_INDEXES) return
    const members = [...columns.map(({ sql }) => sql), 'locale'].join(', ')
    this.#database.execSync(`CREATE INDEX "${name}" ON "${tableOf(type)}" (${members})`)
  }

  #addLinks(type: string, attribute: string): void {
    const name = `link:${withoutCase(attribute)}`
    const known = this.#names("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    if (known.has(`${triggerOf(type, name)} put`)) return
    const link = (row: string): string =>
      `SELECT ${quoted(type)}, ${quoted(attribute)}, target.value, ${row}.key`
    const targets = (row: string): string =>
      `json_each(${row}.value, '$.data."${attribute}"') AS target WHERE target.type = 'text'`
    const gone = `DELETE FROM quire_links WHERE attribute = ${quoted(attribute)} AND key =`
    this.#database.withTransactionSync(() => {
      this.#database.execSync(LINKS)
      this.#database.execSync(`INSERT OR IGNORE INTO quire_links ${link('quire_rows')}
        FROM quire_rows, ${targets('quire_rows')} AND quire_rows.type = ${quoted(type)};`)
      this.#followRows(type, name, {
        put: `${gone} new.key; INSERT OR IGNORE INTO quire_links ${link('new')} FROM ${targets('new')};`,
        gone: `${gone} old.key;`,
      })
    })
  }

  /** A replaced row fires no trigger for its deletion. */
  #followRows(
    type: string,
    name: string,
    { put, gone }: { readonly put: string; readonly gone: string },
  ): void {
    const trigger = triggerOf(type, name)
    const ofType = `= ${quoted(type)}`
    this.#database.execSync(`
      DROP TRIGGER IF EXISTS "${trigger} put";
      DROP TRIGGER IF EXISTS "${trigger} gone";
      CREATE TRIGGER "${trigger} put" AFTER INSERT ON quire_rows WHEN new.type ${ofType} BEGIN ${put} END;
      CREATE TRIGGER "${trigger} gone" AFTER DELETE ON quire_rows WHEN old.type ${ofType} BEGIN ${gone} END;`)
  }

  #names(sql: string): ReadonlySet<string> {
    const rows = this.#database.getAllSync<{ readonly name: string }>(sql, [])
    return new Set(rows.map(({ name }) => name))
  }
}

function triggerOf(type: string, name: string): string {
  return `quire ${withoutCase(type)} ${name}`
}

/** The table with the columns of a type. */
export function tableOf(type: string): string {
  return `quire:${withoutCase(type)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function valueOf({ name, isInteger }: SqlColumn, row: string): string {
  const value = `json_extract(${row}.value, '$.data."${name}"')`
  return isInteger ? `CAST(${value} AS INTEGER)` : value
}

/** Null for `key` and `locale`. */
function toColumn(sqlName: string): SqlColumn | null {
  const [, kind, name] = /^(own|int):(.*)$/.exec(sqlName) ?? []
  if (name === undefined) return null
  const original = name.replace(/\^/g, '')
  return { name: original, isInteger: kind === 'int', sql: `"${sqlName}"` }
}

function distinct(columns: readonly SqlColumn[]): readonly SqlColumn[] {
  return [...new Map(columns.map((column) => [column.sql, column])).values()]
}
