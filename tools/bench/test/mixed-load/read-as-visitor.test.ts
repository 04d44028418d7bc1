import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Ledger } from '../../src/mixed-load/ledger.ts'
import { LoadClient } from '../../src/mixed-load/load-client.ts'
import { makeNote } from '../../src/mixed-load/note.ts'
import { PossibleVersions } from '../../src/mixed-load/possible-versions.ts'
import { readAsVisitor } from '../../src/mixed-load/read-as-visitor.ts'

const KEY = 'a'
const VERSIONS = ['draft:en', 'draft:fr', 'published:en', 'published:fr'] as const

describe('visitors of the mixed load', () => {
  let server: Server
  let ledger: Ledger
  /** The revision in the response of the server. Null if the entry is missing. */
  let shown: number | null
  let asked: number

  before(async () => {
    server = createServer((_request, response) => {
      asked += 1
      const data = shown === null ? [] : [entry(shown)]
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ data, meta: { pagination: { pageCount: 1 } } }))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  after(() => server.close())
  beforeEach(() => {
    ledger = {
      notes: [],
      removed: new Map(),
      folders: ['f0', 'f1', 'f2'],
      counters: [],
      groups: [],
      members: [],
      files: [],
      acknowledged: 0,
    }
  })

  const entry = (revision: number): object => {
    const note = makeNote(KEY, revision, ledger) as { readonly folder: string }
    return { ...note, documentId: 'x', folder: { documentId: note.folder } }
  }
  const write = (versions: PossibleVersions, revision: number | null): void => {
    for (const slot of VERSIONS) versions.set(slot, new Set([revision]))
  }
  /** Times of the writes, in milliseconds before now. */
  const written = (...writes: readonly (readonly [number, number | null])[]): void => {
    const now = performance.now()
    let at = now
    const versions = new PossibleVersions(() => at)
    for (const [ago, revision] of writes) {
      at = now - ago
      write(versions, revision)
    }
    ledger.notes.push({ key: KEY, documentId: null, versions })
  }
  const complaints = async (revision: number | null): Promise<readonly string[]> => {
    const { port } = server.address() as AddressInfo
    const bases = [`http://127.0.0.1:${port}`]
    const client = new LoadClient({ bases, token: null, timeoutMs: 5_000, pauseMs: 0 })
    shown = revision
    asked = 0
    await readAsVisitor({ client, ledger, isOver: () => asked > 0, staleMs: 1_000 })
    return client.wrong
  }

  it('accept acknowledged writes within the promised time only', async () => {
    written([60_000, 1], [30_000, 2], [500, 3])
    expect(await complaints(3)).to.deep.equal([])
    expect(await complaints(2)).to.deep.equal([])
    expect((await complaints(1)).join()).to.include('a: revision 1, not 2 or 3')
  })

  it('report missing entries and entries that were deleted earlier', async () => {
    written([60_000, 1])
    expect((await complaints(null)).join()).to.include('a: revision null, not 1')
    ledger.notes.length = 0
    expect((await complaints(1)).join()).to.include('a was deleted long ago or never made')
  })

  it('accept recently deleted entries for a while', async () => {
    written([60_000, 1], [500, null])
    const [row] = ledger.notes.splice(0)
    if (row !== undefined) ledger.removed.set(KEY, row)
    expect(await complaints(1)).to.deep.equal([])
    expect(await complaints(null)).to.deep.equal([])
  })
})
