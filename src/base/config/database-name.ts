const DEFAULT_DATABASE = 'quire'

/** Names that MongoDB allows on every platform. */
export const DATABASE_NAME = /^[^/\\. "$*<>:|?\0]+$/
export const MAX_DATABASE_NAME_BYTES = 63

const SYSTEM_DATABASES: ReadonlySet<string> = new Set(['admin', 'config', 'local'])

interface Given {
  readonly MONGODB_DATABASE: string | undefined
  readonly MONGODB_URI: string | undefined
  readonly QUIRE_DATABASE: string | undefined
}

export function chooseDatabaseName(settings: Given): string {
  return settings.MONGODB_DATABASE ?? nameInPath(settings) ?? DEFAULT_DATABASE
}

/** Returns why the path of the URI in use cannot be the database name, or null. */
export function explainDatabaseInPath(settings: Given): string | null {
  const name = settings.MONGODB_DATABASE === undefined ? nameInPath(settings) : null
  if (name === null) return null
  if (SYSTEM_DATABASES.has(name)) {
    return `its path names ${name}, a database of MongoDB itself; set MONGODB_DATABASE to the database of the content`
  }
  const isValid = DATABASE_NAME.test(name) && Buffer.byteLength(name) <= MAX_DATABASE_NAME_BYTES
  return isValid ? null : 'its path is not a database name; correct it or set MONGODB_DATABASE'
}

function nameInPath({ MONGODB_URI, QUIRE_DATABASE = 'uri' }: Given): string | null {
  if (MONGODB_URI === undefined || QUIRE_DATABASE !== 'uri') return null
  const [, path = ''] = /^[^:]+:\/\/[^/?]*\/([^?]*)/.exec(MONGODB_URI) ?? []
  if (path === '') return null
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}
