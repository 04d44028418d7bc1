import { createCipheriv, scryptSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { pino } from 'pino'
import tar from 'tar-stream'
import { readConfig } from '../../src/config/config.ts'
import { CmsError } from '../../src/errors.ts'
import { documentContext } from '../../src/services/document-context.ts'
import { openServices, type Services } from '../../src/services/open-services.ts'
import { applyFiles, type ApplyReport } from '../../src/transfer/apply/apply-files.ts'
import { csvRows } from '../../src/transfer/apply/csv-rows.ts'
import { importArchive } from '../../src/transfer/import-archive.ts'
import { declare } from '../api/server.ts'
import { testUri } from '../test-database.ts'

const MIB = 1_048_576
const KEY = 'the key of the archive'
const MAX_RISE = 300 * MIB
const DEEP = 100_000
const deepList = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('imports that are made to do harm', () => {
  let services: Services
  let folder: string
  let name: string
  let uri: string

  before(async () => {
    uri = await testUri()
    name = `quire_test_hostile_imports_${process.pid}`
    folder = mkdtempSync(path.join(tmpdir(), 'quire-hostile-imports-'))
    const types = path.join(folder, 'types')
    mkdirSync(types)
    const tag = declare('tag', {
      name: { type: 'string' },
      extra: { type: 'json' },
      text: { type: 'text' },
    })
    writeFileSync(path.join(types, 'tag.json'), JSON.stringify(tag))
    services = await openServices({
      config: readConfig({
        CONTENT_TYPES_DIR: types,
        QUIRE_DATA_DIR: path.join(folder, 'data'),
        MONGODB_DATABASE: name,
        MONITOR_COMMANDS: 'off',
      }),
      deployment: { uri },
      log: pino({ level: 'silent' }),
    })
  })
  after(async () => {
    await services.close()
    const admin = await MongoClient.connect(uri)
    await admin.db(name).dropDatabase()
    await admin.close()
    rmSync(folder, { recursive: true, force: true })
  })

  /** What it says of it, in a sentence: nothing else may be thrown, and memory stays bounded. */
  async function refusal(work: () => Promise<unknown>): Promise<string> {
    const before = process.memoryUsage().rss
    let peak = before
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss)
    }, 10)
    try {
      await work()
      return 'none'
    } catch (error) {
      expect(error, String((error as Error).stack)).to.be.instanceOf(CmsError)
      expect((error as Error).message.length).to.be.below(2_000)
      return (error as Error).message
    } finally {
      clearInterval(watch)
      expect(peak - before, 'memory').to.be.below(MAX_RISE)
    }
  }

  describe('as archives', () => {
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

    it('are refused with another key, with none, and where one is too many', async () => {
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

    it('are cut or changed anywhere in what is encrypted', async () => {
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

    it('hold a bomb, within what is encrypted', async () => {
      const bomb = await lines(
        `{"type":"api::tag.tag","id":1,"data":{"text":"${'x'.repeat(65 * MIB)}"}}`,
      )
      const archive = encrypted(gzipSync(bomb))
      expect(archive.length).to.be.below(MIB)
      expect(await refusal(() => run(archive))).to.match(/a line has more than/)
    }).timeout(60_000)

    it('say sizes that are not there', async () => {
      const honest = await lines('{}')
      for (const size of [
        '77777777777\0',
        '\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff',
        '-0000000001\0',
      ]) {
        const lying = Buffer.from(honest)
        lying.write(size, 124, 'latin1')
        let sum = 8 * 0x20
        for (let at = 0; at < 512; at += 1) if (at < 148 || at > 155) sum += lying[at] ?? 0
        lying.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
        expect(await refusal(() => run(lying, null)), JSON.stringify(size)).to.not.equal('none')
      }
      for (const header of ['x', 'g', 'L', 'K']) {
        const lying = Buffer.from(honest)
        lying.write('17777777777\0', 124, 'latin1')
        lying.write(header, 156, 'latin1')
        let sum = 8 * 0x20
        for (let at = 0; at < 512; at += 1) if (at < 148 || at > 155) sum += lying[at] ?? 0
        lying.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
        const long = gzipSync(Buffer.concat([lying.subarray(0, 512), Buffer.alloc(20 * MIB, 'a')]))
        expect(await refusal(() => run(long, null)), header).to.not.equal('none')
      }
    }).timeout(60_000)

    it('write nothing beside their folder, whatever their files are called', async () => {
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

    it('hold values nested without end, and names that every object has', async () => {
      const rows = [
        `{"type":"api::tag.tag","id":1,"data":{"documentId":"${'a'.repeat(24)}","extra":${deepList(DEEP)}}}`,
        `{"type":"api::tag.tag","id":1,"data":${deepList(DEEP)}}`,
        `{"type":"api::tag.tag","id":1,"data":{"documentId":${deepList(DEEP)}}}`,
        deepList(DEEP),
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
    }).timeout(60_000)

    it('hold links, configuration and files of files that are none', async () => {
      const odd = [
        '{}',
        '{"kind":"relation.basic"}',
        '{"left":1,"right":{"$ne":1}}',
        '{"left":{"type":{},"ref":{}},"right":{"type":"x","ref":1}}',
        `{"left":{"type":"${'x'.repeat(5_000)}","ref":1},"right":{"type":"x","ref":1}}`,
        '[]',
        deepList(DEEP),
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
    }).timeout(60_000)
  })

  describe('as tables and lists', () => {
    const tag = () => {
      const plan = services.schema.contentTypes.get('api::tag.tag')
      return plan ?? expect.fail('no type')
    }
    const rowsOf = async (chunks: Iterable<string>): Promise<readonly unknown[]> => {
      const rows: unknown[] = []
      for await (const row of csvRows(Readable.from(chunks, { objectMode: false }), tag()))
        rows.push(row)
      return rows
    }
    const repeated = function* (head: string, chunk: string, times: number): Generator<string> {
      yield head
      for (let count = 0; count < times; count += 1) yield chunk
    }
    const chunk = (text: string): string => text.repeat(65_536 / text.length)

    const tables: Readonly<Record<string, () => Iterable<string>>> = {
      'a quoted field that never ends': () => repeated('name\n"', chunk('x'), 8_000),
      'a quoted field of lines that never ends': () => repeated('name\n"', chunk('x\n'), 8_000),
      'a quoted field of quotes that never ends': () => repeated('name\n"', chunk('""'), 8_000),
      'a field that never ends': () => repeated('name\n', chunk('x'), 8_000),
      'a head that never ends': () => repeated('', chunk('name,'.padEnd(8, 'x')), 8_000),
      'a head of other names': () => [
        `${Array.from({ length: 60_000 }, (_, n) => `c${n}`).join(',')}\n`,
      ],
      'a row of more fields than names': () => repeated('name\n', chunk(','), 8_000),
      'a quote within a field': () => ['name\nx"y"z\n'],
    }
    for (const [what, chunks] of Object.entries(tables)) {
      it(`have ${what}`, async () => {
        expect(await refusal(() => rowsOf(chunks())))
          .to.match(/./)
          .and.not.equal('none')
      }).timeout(60_000)
    }

    it('have names that every object has', async () => {
      expect(await refusal(() => rowsOf(['__proto__,constructor\n1,2\n']))).to.match(
        /no such columns/,
      )
    })

    const apply = async (file: string, text: string): Promise<ApplyReport> => {
      const content = mkdtempSync(path.join(folder, 'content-'))
      writeFileSync(path.join(content, file), text)
      const { database, schema, locales } = services
      return applyFiles(
        { documents: documentContext(database, schema), schema, locales: await locales.current() },
        {
          path: content,
          key: null,
          prune: false,
          dryRun: false,
          input: Readable.from([]),
          confirm: () => Promise.resolve(true),
          onProgress: () => undefined,
        },
      )
    }
    const deep = `"extra":${deepList(DEEP)}`
    const files: Readonly<Record<string, string>> = {
      'tag.ndjson': `{"name":"a",${deep}}\n`,
      'tag.json': `[{"name":"a",${deep}}]`,
      'tag.csv': `name,extra\na,${deepList(DEEP)}\n`,
      '1-tag.json': deepList(DEEP),
      '2-tag.ndjson': `${deepList(DEEP)}\n`,
    }
    for (const [file, text] of Object.entries(files)) {
      it(`have values nested without end: ${file}`, async () => {
        let failed = 0
        const said = await refusal(async () => {
          const report = await apply(file, text)
          failed = Object.values(report.files).reduce((sum, each) => sum + each.failed, 0)
        })
        expect(said === 'none' ? failed : 1).to.equal(1)
      })
    }
  })
})

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(folder, name),
  )
}
