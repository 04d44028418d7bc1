import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { memoryStorage, sqliteStorage, type StoreStorage } from '@quire/client/sync'
import { expect } from 'chai'
import { addMember, type Member } from '../../api/people/rules-world.ts'
import type { TestServer } from '../../support/server.ts'
import { type FileDevice, openFileDevice, serveFiles } from './file-world.ts'
import { openDirectFile, openSqliteFile } from './sqlite-database.ts'

const PART = 8_388_608
/** The largest text of a part in SQLite, which has 1 MiB as Base64. */
const MAX_TEXT = 1_400_000
const SIZE = 2 * PART + 5_000_000

type Database = ReturnType<typeof openDirectFile> | ReturnType<typeof openSqliteFile>
const OPEN_DATABASE: Readonly<Record<string, (file: string) => Database>> = {
  'SQLite, asynchronous': openSqliteFile,
  'SQLite, direct': openDirectFile,
}

describe('large files that a store takes', () => {
  let server: TestServer
  let anna: Member
  let folder: string

  before(async () => {
    server = await serveFiles('large_files', 3 * PART)
    anna = await addMember(server, 'anna')
    folder = mkdtempSync(path.join(tmpdir(), 'quire-large-'))
  })
  after(async () => {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const add = (device: FileDevice, content: Buffer): Promise<string> =>
    device.$files.add(new File([new Uint8Array(content)], 'film.bin'))

  async function assertStored(documentId: string, content: Buffer): Promise<void> {
    const { body } = await server.get(`/api/upload/files/${documentId}`)
    expect(body).to.include({ documentId, name: 'film.bin' })
    const served = await fetch(`http://127.0.0.1:${server.port}${body.url}`)
    expect(Buffer.from(await served.arrayBuffer()).equals(content)).to.equal(true)
  }

  /** By storage: returns a function that opens one with the content of before. */
  const prepared: Readonly<Record<string, () => () => StoreStorage>> = {
    memory: () => {
      const storage = memoryStorage()
      return () => ({ ...storage, close: () => Promise.resolve() })
    },
    ...mapValues(OPEN_DATABASE, (open, name) => () => () => {
      const database = open(path.join(folder, name))
      return sqliteStorage(database, () => Promise.resolve(database.close()))
    }),
  }

  for (const [name, prepare] of Object.entries(prepared)) {
    it(`are resumed after a restart of the app, from ${name}`, async () => {
      const openStorage = prepare()
      const content = randomBytes(SIZE)
      const sent: number[] = []
      const counting: typeof fetch = (input, init) => {
        if (init?.body instanceof Blob) sent.push(init.body.size)
        return fetch(input, init)
      }
      const failing: typeof fetch = (input, init) =>
        sent.length > 0 ? Promise.reject(new TypeError('fetch failed')) : counting(input, init)
      const first = await openFileDevice(server, anna, { storage: openStorage(), fetch: failing })
      const added = await add(first, content)
      await first.$sync().catch(() => undefined)
      expect(first.$files.pending.map(({ documentId }) => documentId)).to.deep.equal([added])
      await first.$close()
      const second = await openFileDevice(server, anna, { storage: openStorage(), fetch: counting })
      await second.$sync()
      expect(second.$files.pending).to.deep.equal([])
      // On a busy machine, the last request may be repeated.
      expect(sent.slice(0, 2)).to.deep.equal([PART, PART])
      expect(new Set(sent.slice(2))).to.deep.equal(new Set([SIZE - 2 * PART]))
      await assertStored(added, content)
      await second.$close()
    })
  }

  for (const [name, open] of Object.entries(OPEN_DATABASE)) {
    describe(`in ${name}`, () => {
      let database: Database
      /** The largest text that was written or read. */
      let largest: number

      beforeEach(() => {
        largest = 0
        database = watched(open(':memory:'), (size) => {
          largest = Math.max(largest, size)
        })
      })
      afterEach(() => database.close())

      const openDevice = (options: Parameters<typeof openFileDevice>[2] = {}) =>
        openFileDevice(server, anna, { storage: sqliteStorage(database), ...options })
      const countParts = async (): Promise<number> => {
        const sql = 'SELECT count(*) AS n FROM quire_parts'
        return (await database.getAllAsync<{ readonly n: number }>(sql, []))[0]?.n ?? -1
      }

      it('are stored and sent in parts, which are deleted when the server has the file', async () => {
        const content = randomBytes(SIZE)
        const device = await openDevice()
        const added = await add(device, content)
        expect(await countParts()).to.equal(Math.ceil(SIZE / 1_048_576))
        await device.$sync()
        expect(device.$files.pending).to.deep.equal([])
        expect(await countParts()).to.equal(0)
        expect(largest).to.be.within(MAX_TEXT / 2, MAX_TEXT)
        await assertStored(added, content)
      })

      it('are deleted with their parts when they are discarded, also while they are sent', async () => {
        const device = await openDevice({
          fetch: async (input, init) => {
            const isPart = init?.method === 'PATCH'
            if (isPart) await device.$files.discard(device.$files.pending[0]?.documentId ?? '')
            return fetch(input, init)
          },
        })
        const added = await add(device, randomBytes(SIZE))
        await device.$sync()
        expect(device.$files.pending).to.deep.equal([])
        expect(await countParts()).to.equal(0)
        expect((await server.get(`/api/upload/files/${added}`)).status).to.equal(404)
      })

      it('keep their parts although another store opens the database meanwhile', async () => {
        const content = randomBytes(SIZE)
        const device = await openDevice()
        let parts = 0
        const source = new File([new Uint8Array(content)], 'film.bin')
        const slice = source.slice.bind(source)
        source.slice = (...range) => {
          parts += 1
          if (parts === 5) void sqliteStorage(database).load()
          return slice(...range)
        }
        const added = await device.$files.add(source)
        await device.$sync()
        expect(device.$files.pending).to.deep.equal([])
        await assertStored(added, content)
      })

      it('keep their parts although another store opens the database before the row is stored', async () => {
        const content = randomBytes(SIZE)
        const storage = sqliteStorage(database)
        let others = 0
        const device = await openDevice({
          storage: {
            ...storage,
            commit: async (changes, mark) => {
              others += 1
              if (others === 1) await sqliteStorage(database).load()
              return storage.commit(changes, mark)
            },
          },
        })
        const added = await add(device, content)
        await device.$sync()
        expect(device.$files.pending).to.deep.equal([])
        await assertStored(added, content)
      })

      it('leave no part if the disk is full', async () => {
        const device = await openDevice()
        await database.execAsync(
          `CREATE TRIGGER full BEFORE INSERT ON quire_parts WHEN new.part = 3
           BEGIN SELECT raise(ABORT, 'the disk is full'); END`,
        )
        const error = await add(device, randomBytes(SIZE)).then(
          () => null,
          (thrown: unknown) => thrown,
        )
        expect(String(error)).to.include('the disk is full')
        expect(device.$files.pending).to.deep.equal([])
        expect(await countParts()).to.equal(0)
      })

      it('are reported if the device has lost a part', async () => {
        const device = await openDevice()
        const added = await add(device, randomBytes(SIZE))
        await database.execAsync('DELETE FROM quire_parts WHERE part = 10')
        await device.$sync()
        const [pending] = device.$files.pending
        expect(pending).to.include({ documentId: added, size: SIZE })
        expect(pending?.error?.message).to.match(/lost bytes/)
        await device.$files.discard(added)
        expect(await countParts()).to.equal(0)
      })
    })
  }
})

function mapValues<V, W>(
  record: Readonly<Record<string, V>>,
  map: (value: V, key: string) => W,
): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))
}

/** Reports the length of each text that is written or read. */
function watched(database: Database, onText: (length: number) => void): Database {
  const see = (value: unknown): void => {
    if (typeof value === 'string') onText(value.length)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(see)
  }
  return new Proxy(database, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: readonly unknown[]): unknown => {
        see(given)
        const result: unknown = Reflect.apply(member, target, given)
        void Promise.resolve(result).then(see, () => undefined)
        return result
      }
    },
  })
}
