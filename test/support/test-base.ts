import { readConfig } from '../../src/base/config/config.ts'
import { loadProject } from '../../src/server/services/load-schema.ts'
import { type Base, openBase } from '../../src/server/services/open-base.ts'
import { writeContentTypes } from './server-process.ts'
import { testUri } from './test-database.ts'

interface OpenedBase {
  readonly database: string
  readonly contentTypes: Readonly<Record<string, object>>
  /** Such as `SERVER_START`. The default is that of a command. */
  readonly options?: Parameters<typeof openBase>[2]
}

/** The services of a command or a start, on the database of a test. */
export async function openTestBase({ database, contentTypes, options }: OpenedBase): Promise<Base> {
  const folder = writeContentTypes(contentTypes)
  const config = readConfig({
    CONTENT_TYPES_DIR: folder,
    QUIRE_DATA_DIR: folder,
    MONGODB_DATABASE: database,
    QUERY_TIMEOUT_MS: '20000',
  })
  const deployment = { uri: await testUri() }
  return openBase({ config, deployment }, await loadProject(folder), options)
}

export async function withTestBase<T>(
  opened: OpenedBase,
  work: (base: Base) => Promise<T>,
): Promise<T> {
  const base = await openTestBase(opened)
  try {
    return await work(base)
  } finally {
    await base.database.close()
  }
}
