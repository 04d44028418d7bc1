import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '../../src/base/config/config.ts'
import { loadDefinitions } from '../../src/schema/load.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../src/server/services/open-services.ts'
import { exportArchive } from '../../src/transfer/export/export-archive.ts'
import { importArchive } from '../../src/transfer/import-archive.ts'
import {
  added,
  ARTICLE,
  EXTENDED_TYPES,
  LINKED_TYPES,
  linksIn,
  linkTo,
  tableWith,
} from '../api/content/linked-world.ts'
import { serve, type TestServer } from '../support/server.ts'

describe('an archive of texts with links to entries', () => {
  const servers: TestServer[] = []
  const opened: Services[] = []
  let folder: string

  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-linked-archive-'))
  })
  after(async () => {
    for (const services of opened) await services.close()
    for (const server of servers) await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const start = async (
    label: string,
    contentTypes: Readonly<Record<string, object>>,
  ): Promise<[TestServer, Services]> => {
    const server = await serve(label, { contentTypes, locales: ['de'] })
    servers.push(server)
    const services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: server.contentTypesDir,
        QUIRE_DATA_DIR: path.join(folder, label),
        MONGODB_DATABASE: server.database,
        QUERY_TIMEOUT_MS: '20000',
        MONITOR_COMMANDS: 'off',
      }),
      deployment: { uri: server.uri },
      log: pino({ level: 'silent' }),
    })
    opened.push(services)
    return [server, services]
  }

  it('keeps references and tables, and the entries that link to an entry', async () => {
    const [source, from] = await start('linked_source', EXTENDED_TYPES)
    const [target, to] = await start('linked_target', LINKED_TYPES)
    const article = await added(source, '/api/articles?status=published', { slug: 'moved' })
    const page = await added(source, '/api/pages?status=published', {
      body: tableWith(linkTo(ARTICLE, article)),
    })
    const file = { path: path.join(folder, 'archive'), key: null }
    const spoolFolder = path.join(folder, 'spool')
    await exportArchive({
      target: file,
      documents: documentContext(from.database, from.schema),
      schema: from.schema,
      declarations: await loadDefinitions(source.contentTypesDir),
      locales: await from.locales.current(),
      access: from.access,
      storage: from.storage,
      spoolFolder,
    })
    const { schema, locales, access, storage, folders, database } = to
    await importArchive({
      file,
      schema,
      locales: () => locales.current(),
      destination: {
        documents: documentContext(database, schema),
        access,
        locales,
        storage,
        folders,
        spoolFolder,
      },
      intoExisting: false,
    })
    // The description of the API has no tables for a type without the option.
    const { body } = await target.get(`/admin/content/api::page.page/${page}?status=published`)
    expect(linksIn(body.data.body)).to.deep.equal([['/en/articles/moved', article]])
    expect(body.data.body[0].type).to.equal('table')
    const usages = await target.get(`/admin/content/${ARTICLE}/${article}/usages`)
    expect(usages.body.data).to.have.length(1)
    expect(usages.body.data[0]).to.deep.include({ documentId: page, field: 'body' })
  })
})
