import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { compileSample, SAMPLE_UIDS } from '../../tools/bench/src/sample/sample-parts.ts'
import { seedSample } from '../../tools/bench/src/sample/seed-sample.ts'
import { SILENT_OBSERVER } from '../../tools/bench/src/sample/show-progress.ts'
import { readConfig } from '../../src/base/config/config.ts'
import { openServices } from '../../src/server/services/open-services.ts'
import { ROOT } from './pages.ts'
import { serve, type TestServer } from './server.ts'
import { until } from './until.ts'

const CITIES = 300

const SAMPLE_QUERIES = ['home-feed', 'articles-by-category', 'country-by-code']

/**
 * Serves the sample content as the demo does, with few cities, from a copy of its content-types in `folder`. `queries`
 * are more named queries, which the public may call, as JSON.
 */
export async function serveSample(
  database: string,
  queries: Readonly<Record<string, string>> = {},
): Promise<{ readonly server: TestServer; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-sample-'))
  const contentTypes = join(folder, 'content-types') // an example changes a type
  cpSync(join(ROOT, 'content-types'), contentTypes, { recursive: true })
  for (const [name, text] of Object.entries(queries)) {
    writeFileSync(join(contentTypes, 'queries', `${name}.json`), text)
  }
  const names = [...SAMPLE_QUERIES, ...Object.keys(queries)]
  const reads = SAMPLE_UIDS.flatMap((uid) =>
    uid === 'api::homepage.homepage' ? [`${uid}.find`] : [`${uid}.find`, `${uid}.findOne`],
  )
  const server = await serve(database, {
    contentTypes,
    editableTypes: true,
    environment: { RATE_LIMIT: 'off', QUERY_TIMEOUT_MS: '20000' }, // for a busy machine
    permitted: [...reads, ...names.map((name) => `query::${name}`)],
  })
  const services = await openServices({
    config: readConfig({
      CONTENT_TYPES_DIR: contentTypes,
      QUIRE_DATA_DIR: folder,
      MONGODB_DATABASE: server.database,
    }),
    deployment: { uri: server.uri },
    log: pino({ level: 'silent' }),
  })
  await seedSample(services, compileSample(CITIES), SILENT_OBSERVER)
  await services.close()
  // The server reads new locales of another process within a second.
  await until(async () => {
    const { body } = await server.get('/api/countries?locale=ja&fields=name')
    return body.data.length > 0
  }, 30_000)
  return { server, folder }
}
