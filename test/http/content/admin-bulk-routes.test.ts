import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa, { type Next } from 'koa'
import { ROOT, type Principal } from '../../../src/people/access/principal.ts'
import { UnauthorizedError } from '../../../src/base/errors.ts'
import { bulkActionRoutes } from '../../../src/http/content/admin-bulk-routes.ts'
import type { EditorContentDependencies } from '../../../src/http/content/editor-content.ts'
import { actAs } from '../../../src/http/middleware/act-as.ts'
import { readBody } from '../../../src/http/body/read-body.ts'
import type { Context } from '../../../src/http/router/state.ts'
import { compileSchema } from '../../../src/schema/compile.ts'

const schema = compileSchema({
  contentTypes: [
    {
      uid: 'api::note.note',
      kind: 'collectionType',
      singularName: 'note',
      pluralName: 'notes',
      displayName: 'Note',
      file: 'note.json',
      collectionName: 'notes',
      draftAndPublish: false,
      localized: false,
      attributes: { text: { type: 'string' } },
    },
  ],
  components: [],
})

/** Serves bulk actions to a caller that is known for the first `known` lookups only. */
async function bulkResults(
  known: number,
  documentIds: readonly string[],
): Promise<readonly unknown[]> {
  let left = known
  const identify = (): Promise<Principal> => {
    left -= 1
    if (left < 0) return Promise.reject(new UnauthorizedError('Missing or invalid credentials'))
    return Promise.resolve(ROOT)
  }
  const all = [{ code: 'en', name: 'English', isDefault: true }]
  const locales = { defaultCode: 'en', all, has: (code: string) => code === 'en' }
  const dependencies = {
    schema,
    locales: { current: () => Promise.resolve(locales) },
    documents: {}, // impossible ids need no database query
    readBody: readBody(100_000),
    authenticate: (ctx: Context, next: Next) => actAs(ctx, identify, next),
  } as unknown as EditorContentDependencies
  const app = new Koa()
  app.use(bulkActionRoutes(dependencies).routes())
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/admin/content/api::note.note/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'delete', documentIds }),
    })
    const { data } = (await response.json()) as { readonly data: readonly { status: number }[] }
    return data.map(({ status }) => status)
  } finally {
    server.close()
  }
}

describe('bulk actions of administrators', () => {
  const ids = Array.from({ length: 10 }, (_, index) => `no document ${index}`)

  it('stop when the session of the administrator ends', async () => {
    expect(await bulkResults(3, ids)).to.deep.equal([...Array(8).fill(200), 401, 401])
    expect(await bulkResults(1, ids)).to.deep.equal(Array(10).fill(401))
  })

  it('process every document while the session is valid', async () => {
    expect(await bulkResults(4, ids)).to.deep.equal(Array(10).fill(200))
  })
})
