import { actionsOf, syncerOf } from '../../people/access/sync-rights.ts'
import { takeSnapshot } from '../../changes/sync/take-snapshot.ts'
import type { SyncCaller } from '../../changes/sync/settle.ts'
import type { Principal } from '../../people/access/principal.ts'
import { PUBLIC_ROLE } from '../../people/access/role-rows.ts'
import { mayUnderRule } from '../../people/access/ruled-reads.ts'
import { ForbiddenError, NotFoundError, ValidationError } from '../../base/errors.ts'
import { parseScope, syncedTypes, type SyncScope } from '../../changes/sync/query/parse-scope.ts'
import type { Data } from '../../schema/definition.ts'
import {
  type Command,
  type CommandContext,
  type OptionValues,
  textOption,
  UsageError,
} from '../command.ts'
import { findRoleByName } from '../role-commands.ts'
import { openNdjsonFile } from './ndjson-file.ts'
import type { SnapshotFile } from './snapshot-file.ts'
import { openSqliteFile } from './sqlite-file.ts'

const FORMATS = { ndjson: openNdjsonFile, sqlite: openSqliteFile } as const

export const SNAPSHOT_COMMAND: Command = {
  usage:
    'snapshot --types <names> --out <file> [--format ndjson|sqlite] [--role <type> | --token <key>] [--locale <codes>] [--status draft] [--fields <type>=<names>]… [--filters <json>]',
  summary: 'write a finished first sync to a file, to ship with an app; see docs/sync.md',
  options: {
    types: { type: 'string' },
    out: { type: 'string' },
    format: { type: 'string' },
    role: { type: 'string' },
    token: { type: 'string' },
    locale: { type: 'string' },
    status: { type: 'string' },
    fields: { type: 'string', multiple: true },
    filters: { type: 'string' },
  },
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async (context, _, options) => {
    const out = textOption(options, 'out')
    if (out === undefined) throw new UsageError('snapshot: --out names the file to write')
    const open = FORMATS[formatOf(options, out)]
    const { documents, schema } = await context.content()
    const scope = readScope(options, syncedTypes(schema.contentTypes.values()))
    const asker = await askerOf(context, options)
    const leftOut = personalTypes(scope, asker)
    const caller = callerOf(scope, asker, leftOut)
    const locales = await (await context.locales()).current()
    const file = await open(out)
    const data = await write(file, () =>
      takeSnapshot({ database: documents.database, locales, scope, caller }, (items) =>
        file.apply(items),
      ),
    )
    const text = `Wrote ${out}: ${data.rows} rows, and the token to continue with.`
    if (leftOut.length === 0) return { data: { file: out, ...data }, text }
    const note = `Left out, because their rules depend on the user: ${leftOut.join(', ')}.`
    return { data: { file: out, ...data, leftOut }, text: `${text}\n${note}` }
  },
}

type Asker = Pick<Principal, 'kind' | 'grants'>

/** A file is for all users of an app, so it has no rows that depend on one of them. */
function personalTypes(scope: SyncScope, { grants: { rules } }: Asker): readonly string[] {
  return scope.types
    .filter((type) => actionsOf(scope, type).some((action) => rules?.personal.has(action)))
    .map(({ name }) => name)
}

/** @throws ForbiddenError */
function callerOf(scope: SyncScope, asker: Asker, leftOut: readonly string[]): SyncCaller {
  const caller = syncerOf(asker, scope)
  const kept = scope.types.filter(({ name }) => !leftOut.includes(name))
  if (kept.length === 0) throw new ForbiddenError('The rules of all types depend on the user')
  const refused = kept.find((type) => !caller.maySync(type))
  if (refused !== undefined) {
    const actions = actionsOf(scope, refused)
    const missing = actions.find((action) => !mayUnderRule(asker, action))
    throw new ForbiddenError(`${missing ?? actions.join(', ')} is not permitted`)
  }
  return {
    ...caller,
    maySync: (type) => !leftOut.includes(type.name) && caller.maySync(type),
  }
}

async function write(
  file: SnapshotFile,
  take: () => Promise<string>,
): Promise<{ readonly rows: number; readonly token: string }> {
  try {
    const token = await take()
    return { rows: await file.finish(token), token }
  } catch (error) {
    await file.abandon()
    throw error
  }
}

function formatOf(options: OptionValues, out: string): keyof typeof FORMATS {
  const given =
    textOption(options, 'format') ?? (/\.(?:db|sqlite3?)$/.test(out) ? 'sqlite' : 'ndjson')
  if (given === 'ndjson' || given === 'sqlite') return given
  throw new UsageError('snapshot: --format is ndjson or sqlite')
}

async function askerOf(context: CommandContext, options: OptionValues): Promise<Asker> {
  const [role, token] = [textOption(options, 'role'), textOption(options, 'token')]
  if (role !== undefined && token !== undefined) {
    throw new UsageError('snapshot: either --role or --token')
  }
  const access = await context.access()
  if (token !== undefined) return access.principalOf(`Bearer ${token}`)
  const { type } = await findRoleByName(access.roles, role ?? 'public')
  const grants = await access.grantsOfRole(type)
  if (grants === null) throw new NotFoundError(`There is no role ${type}`)
  return { kind: type === PUBLIC_ROLE ? 'anonymous' : 'user', grants }
}

function readScope(options: OptionValues, known: Parameters<typeof parseScope>[1]): SyncScope {
  const asked: Data = {}
  for (const name of ['types', 'locale', 'status']) {
    const value = textOption(options, name)
    if (value !== undefined) asked[name] = value
  }
  if (asked['types'] === undefined) throw new UsageError('snapshot: --types names content-types')
  const fields = options['fields']
  if (Array.isArray(fields)) asked['fields'] = Object.fromEntries(fields.map(readFields))
  const filters = textOption(options, 'filters')
  if (filters !== undefined) asked['filters'] = readFilters(filters)
  try {
    return parseScope(asked, known)
  } catch (error) {
    if (error instanceof ValidationError) throw new UsageError(`snapshot: ${error.message}`)
    throw error
  }
}

function readFields(given: unknown): readonly [string, string] {
  const [, type, names] = /^([^=]+)=(.+)$/.exec(String(given)) ?? []
  if (type !== undefined && names !== undefined) return [type, names]
  throw new UsageError('snapshot: --fields is <type>=<names>, such as article=title,slug')
}

function readFilters(text: string): unknown {
  try {
    return asQuery(JSON.parse(text))
  } catch (error) {
    throw new UsageError('snapshot: --filters is JSON such as {"article":{"area":{"$eq":"ios"}}}', {
      cause: error,
    })
  }
}

function asQuery(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asQuery)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asQuery(inner)]))
}
