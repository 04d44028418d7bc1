import { createCipheriv, createHash, randomBytes, scryptSync } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import tar from 'tar-stream'
import { documentContext } from '../../src/server/services/document-context.ts'
import type { Services } from '../../src/server/services/open-services.ts'
import { importArchive } from '../../src/transfer/import-archive.ts'
import { restoreRows } from '../../src/transfer/restore-rows.ts'
import { makeArchive } from './make-archive.ts'
import { DEEP_LIST, type HostileWorld, openHostileWorld, refusal } from './hostile-world.ts'

const MIB = 1_048_576
const KEY = 'the key of the archive'

describe('imports of hostile archives', () => {
  let world: HostileWorld
  let services: Services
  let folder: string

  before(async () => {
    world = await openHostileWorld('archives')
    ;({ services, folder } = world)
  })
  after(() => world.close())

  const encrypted = (bytes: Buffer, key = KEY): Buffer => {
    const cipher = createCipheriv('aes-128-ecb', scryptSync(key, '', 16), null)
    return Buffer.concat([cipher.update(bytes), cipher.final()])
  }
  const packed = async (add: (pack: tar.Pack) => void): Promise<Buffer> => {
    const pack = tar.pack()
    add(pack)
    pack.finalize()
    return buffer(pack)
  }
  const run = async (bytes: Buffer, key: string | null = KEY): Promise<unknown> => {
    const file = path.join(folder, 'archive')
    writeFileSync(file, bytes)
    const { schema, database, access, locales, storage, folders } = services
    return importArchive({
      file: { path: file, key },
      schema,
      locales: () => locales.current(),
      destination: {
        documents: documentContext(database, schema),
        access,
        locales,
        storage,
        folders,
        spoolFolder: path.join(folder, 'spool'),
      },
      intoExisting: true,
    })
  }
  const lines = (...values: readonly string[]): Promise<Buffer> =>
    packed((pack) => {
      pack.entry({ name: 'entities/entities_00001.jsonl' }, `${values.join('\n')}\n`)
      pack.entry({ name: 'metadata.json' }, '{"createdAt":"2026-01-01T00:00:00.000Z"}')
    })

  it('refuse a wrong, missing or second key', async () => {
    const tarred = await lines('{}')
    for (const archive of [encrypted(tarred), encrypted(gzipSync(tarred))]) {
      for (const key of ['', 'x', KEY.toUpperCase(), 'k'.repeat(100_000)]) {
        expect(await refusal(() => run(archive, key))).to.match(/the key does not fit/)
      }
      expect(await refusal(() => run(archive, null))).to.match(/give its key/)
    }
    const twice = encrypted(encrypted(tarred))
    expect(await refusal(() => run(twice))).to.match(/the key does not fit/)
    expect(await refusal(() => run(encrypted(Buffer.alloc(0))))).to.match(/does not fit/)
    expect(await refusal(() => run(Buffer.alloc(0))))
      .to.match(/./)
      .and.not.equal('none')
  })

  it('refuse truncated and modified encrypted archives', async () => {
    const whole = encrypted(gzipSync(await lines(`{"type":"api::tag.tag","id":1,"data":{}}`)))
    for (const at of [16, 17, 100, whole.length - 16, whole.length - 1]) {
      expect(await refusal(() => run(whole.subarray(0, at))), `cut at ${at}`).to.not.equal('none')
    }
    for (const at of [40, 100, whole.length - 30, whole.length - 3]) {
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(await refusal(() => run(changed)), `changed at ${at}`).to.not.equal('none')
    }
  })

  it('refuse an archive that ends within an entry of which no byte was read', async () => {
    const assets = { 'photo.bin': randomBytes(100_000) }
    const configuration = [{ type: 'core-store', value: { key: 'x'.repeat(100_000) } }]
    const whole = path.join(folder, 'whole')
    await makeArchive(whole, { assets, configuration })
    const bytes = readFileSync(whole)
    for (const at of [5_000, 50_000, bytes.length - 20]) {
      expect(await refusal(() => run(bytes.subarray(0, at))), `cut at ${at}`).to.match(
        /cannot be read/,
      )
    }
  })

  it('take names that begin with ./, as tar writes them for a folder', async () => {
    const line = '{"type":"api::tag.tag","id":1,"data":{"documentId":"a"}}'
    const archive = await packed((pack) => {
      pack.entry({ name: './entities/entities_00001.jsonl' }, line)
      pack.entry({ name: './metadata.json' }, '{"createdAt":"2026-01-01T00:00:00.000Z"}')
    })
    expect(await refusal(() => run(archive))).to.equal('none')
  })

  it('ignore types with the names of inherited properties', async () => {
    for (const type of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const archive = encrypted(await lines(`{"type":"${type}","id":1,"data":{"versions":1}}`))
      expect(await refusal(() => run(archive)), type).to.equal('none')
    }
    expect(Object.keys(Object.prototype)).to.deep.equal([])
  })

  /** Restores an archive with one file, and returns the sentences about lines that it did not take. */
  const restore = async (name: string, rows: readonly unknown[]) => {
    const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('')
    const sum = createHash('sha256').update(text).digest('hex')
    const bytes = await packed((pack) => {
      pack.entry({ name }, text)
      pack.entry({ name: 'quire/checksums.json' }, JSON.stringify({ [name]: sum }))
    })
    const file = { path: path.join(folder, 'rows'), key: null }
    writeFileSync(file.path, bytes)
    const { schema, database, storage, folders } = services
    const left: string[] = []
    const { types } = await restoreRows({
      file,
      schema,
      documents: documentContext(database, schema),
      storage,
      folders,
      spoolFolder: path.join(folder, 'spool'),
      leaveBehind: (sentence) => left.push(sentence),
      onRows: () => undefined,
    })
    return { types, left }
  }

  it('change no prototype by the types of restored rows', async () => {
    const types = ['__proto__', 'constructor', 'toString']
    const rows = types.map((type) => ({ type, row: '{"documentId":"x"}' }))
    try {
      const restored = await restore('quire/rows_00001.jsonl', rows)
      expect(restored.types).to.deep.equal({})
      expect(restored.left).to.have.length(types.length)
      expect(Object.keys(Object.prototype)).to.deep.equal([])
      expect(Object.keys(Object)).to.deep.equal([])
    } finally {
      for (const holder of [Object.prototype, Object]) {
        Reflect.deleteProperty(holder, 'versions')
      }
    }
  })

  it('leave out malformed comments', async () => {
    const at = { $date: '2026-01-01T00:00:00.000Z' }
    const by = { id: 'a', name: 'Ada' }
    const entry = { type: 'api::tag.tag', documentId: 'a'.repeat(24), locale: '' }
    const rest = { attribute: null, by, mentions: [], createdAt: at, editedAt: null }
    const whole = { _id: 'kept', ...entry, text: 'x', ...rest, resolved: null }
    const wrong: readonly unknown[] = [
      {},
      null,
      { ...whole, _id: { $gt: '' } },
      { ...whole, _id: 'long', text: 'x'.repeat(2_001) },
      { ...whole, _id: 'more', $where: 'true' },
      { ...whole, _id: 'by', by: { id: 'a' } },
      { ...whole, _id: 'date', createdAt: 'yesterday' },
    ]
    const rows = [...wrong, whole, { ...whole, _id: 'strange', type: '__proto__' }]
    const lines = rows.map((row) => ({ row: JSON.stringify(row) }))
    const { left } = await restore('quire/comments_00001.jsonl', [...lines, { row: 1 }, {}])
    expect(left).to.have.length(wrong.length + 2)
    const stored = await services.database
      .table<{ _id: string }>('quire_comments')
      .find({})
      .toArray()
    expect(stored.map(({ _id }) => _id)).to.deep.equal(['kept'])
  })

  it('refuse a decompression bomb inside an encrypted archive', async () => {
    const bomb = await lines(
      `{"type":"api::tag.tag","id":1,"data":{"text":"${'x'.repeat(65 * MIB)}"}}`,
    )
    const archive = encrypted(gzipSync(bomb))
    expect(archive.length).to.be.below(MIB)
    expect(await refusal(() => run(archive))).to.match(/a line has more than/)
  })

  it('refuse false sizes', async () => {
    const honest = await lines('{}')
    const huge = '\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff'
    for (const size of ['77777777777\0', huge, '-0000000001\0']) {
      const lying = withHeader(honest, [[124, size]])
      expect(await refusal(() => run(lying, null)), JSON.stringify(size)).to.not.equal('none')
    }
  })

  for (const kind of ['x', 'g', 'L', 'K']) {
    it(`refuse a header of kind ${kind} with a gigabyte`, async () => {
      const lying = withHeader(await lines('{}'), [
        [124, '17777777777\0'],
        [156, kind],
      ])
      const long = Buffer.concat([lying.subarray(0, 512), Buffer.alloc(20 * MIB, 'a')])
      expect(await refusal(() => run(gzipSync(long), null))).to.not.equal('none')
    })
  }

  it('write no file outside their folder for any name', async () => {
    const outside = path.join(folder, 'outside.txt')
    const names = [
      'assets/uploads/../../outside.txt',
      'assets/uploads/..',
      'assets/uploads/a/../../../outside.txt',
      outside,
      `assets/uploads/${outside}`,
      '/assets/uploads/outside.txt',
      'assets/uploads/..\\..\\outside.txt',
      'assets/uploads/outside.txt\0.png',
      `assets/uploads/${'a'.repeat(90)}/outside.txt`,
    ]
    const archive = await packed((pack) => {
      for (const name of names) pack.entry({ name }, 'outside')
      const linkname = outside
      pack.entry({ name: 'assets/uploads/link.txt', type: 'symlink', linkname })
      pack.entry({ name: 'assets/uploads/link.txt' }, 'outside')
      pack.entry({ name: 'metadata.json' }, '{}')
    })
    await refusal(() => run(gzipSync(archive), null))
    const found = filesBelow(folder).filter((file) => file.includes('outside'))
    expect(
      found.filter((file) => !file.startsWith(path.join(folder, 'data', 'uploads'))),
    ).to.deep.equal([])
    for (const file of found)
      expect(path.relative(path.join(folder, 'data', 'uploads'), file)).to.not.match(/[/\\]/)
  })

  it('refuse deeply nested values and inherited names', async () => {
    const rows = [
      `{"type":"api::tag.tag","id":1,"data":{"documentId":"${'a'.repeat(24)}","extra":${DEEP_LIST}}}`,
      `{"type":"api::tag.tag","id":1,"data":${DEEP_LIST}}`,
      `{"type":"api::tag.tag","id":1,"data":{"documentId":${DEEP_LIST}}}`,
      DEEP_LIST,
      `{"type":"__proto__","id":"constructor","data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}`,
      `{"type":{"$ne":1},"id":{"$gt":0},"data":{"documentId":{"$ne":null}}}`,
      `{"type":"plugin::i18n.locale","id":1,"data":{"code":"../../x","name":{"$ne":1}}}`,
      `{"type":"plugin::users-permissions.role","id":1,"data":{"type":"__proto__","name":"x"}}`,
      `{"type":null,"id":null,"data":null}`,
      `{"type":"${'x'.repeat(5_000)}","id":1,"data":{}}`,
      `{"type":"api::tag.tag","id":1,"data":{"documentId":"${'x'.repeat(5_000)}"}}`,
      `{}`,
      `null`,
    ]
    for (const row of rows) await refusal(async () => run(await lines(row), null))
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined)
  })

  it('refuse malformed links, configuration and files', async () => {
    const odd = [
      '{}',
      '{"kind":"relation.basic"}',
      '{"left":1,"right":{"$ne":1}}',
      '{"left":{"type":{},"ref":{}},"right":{"type":"x","ref":1}}',
      `{"left":{"type":"${'x'.repeat(5_000)}","ref":1},"right":{"type":"x","ref":1}}`,
      '[]',
      DEEP_LIST,
    ]
    const names = [
      'links/links_00001.jsonl',
      'configuration/configuration_00001.jsonl',
      'schemas/schemas_00001.jsonl',
      'quire/rows_00001.jsonl',
      'assets/metadata/a.txt.json',
      'metadata.json',
    ]
    for (const name of names) {
      for (const text of odd) {
        const archive = await packed((pack) => {
          pack.entry({ name: 'entities/entities_00001.jsonl' }, '')
          pack.entry({ name }, `${text}\n`)
        })
        await refusal(() => run(archive, null))
      }
    }
  })
})

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  )
}

/** Builds a tar file whose first header has the given bytes and a matching checksum. */
function withHeader(
  tarred: Buffer,
  said: readonly (readonly [at: number, text: string])[],
): Buffer {
  const lying = Buffer.from(tarred)
  for (const [at, text] of said) lying.write(text, at, 'latin1')
  lying.fill(' ', 148, 156)
  const sum = lying.subarray(0, 512).reduce((total, byte) => total + byte, 0)
  lying.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return lying
}
