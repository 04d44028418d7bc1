import { mkdtempSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { documentContext } from '../../src/server/services/document-context.ts'
import { openFileStore } from '../../src/transfer/file-store.ts'
import type { Services } from '../../src/server/services/open-services.ts'
import { applyFiles, type ApplyReport } from '../../src/transfer/apply/apply-files.ts'
import { csvRows } from '../../src/transfer/apply/csv-rows.ts'
import { DEEP_LIST, type HostileWorld, openHostileWorld, refusal } from './hostile-world.ts'

describe('imports of hostile tables and lists', () => {
  let world: HostileWorld
  let services: Services
  let folder: string

  before(async () => {
    world = await openHostileWorld('tables')
    ;({ services, folder } = world)
  })
  after(() => world.close())

  const tag = () => {
    const plan = services.schema.contentTypes.get('api::tag.tag')
    return plan ?? expect.fail('no type')
  }
  const rowsOf = async (chunks: Iterable<string | Buffer>): Promise<readonly unknown[]> => {
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
  for (const [label, chunks] of Object.entries(tables)) {
    it(`refuse ${label}`, async () => {
      expect(await refusal(() => rowsOf(chunks())))
        .to.match(/./)
        .and.not.equal('none')
    })
  }

  it('refuse inherited names', async () => {
    expect(await refusal(() => rowsOf(['__proto__,constructor\n1,2\n']))).to.match(
      /no such columns/,
    )
  })

  for (const head of ['name,extra,name', 'name,name', 'locale,name,locale']) {
    it(`refuse two columns for one attribute: ${head}`, async () => {
      expect(await refusal(() => rowsOf([`${head}\n1,2,3\n`]))).to.match(/two columns of one/)
    })
  }

  const apply = async (file: string, text: string | Buffer): Promise<ApplyReport> => {
    const content = mkdtempSync(path.join(folder, 'content-'))
    writeFileSync(path.join(content, file), text)
    const { database, schema, locales, media, spoolFolder } = services
    return applyFiles(
      {
        documents: documentContext(database, schema),
        schema,
        locales: await locales.current(),
        store: openFileStore(media.library, spoolFolder),
        maxFileBytes: 1_000_000,
      },
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
  const deep = `"extra":${DEEP_LIST}`
  const files: Readonly<Record<string, string>> = {
    'tag.ndjson': `{"name":"a",${deep}}\n`,
    'tag.json': `[{"name":"a",${deep}}]`,
    'tag.csv': `name,extra\na,${DEEP_LIST}\n`,
    '1-tag.json': DEEP_LIST,
    '2-tag.ndjson': `${DEEP_LIST}\n`,
  }
  for (const [file, text] of Object.entries(files)) {
    it(`refuse deeply nested values: ${file}`, async () => {
      let failed = 0
      const said = await refusal(async () => {
        const report = await apply(file, text)
        failed = Object.values(report.files).reduce((sum, each) => sum + each.failed, 0)
      })
      expect(said === 'none' ? failed : 1).to.equal(1)
    })
  }

  const notUtf8: Readonly<Record<string, string>> = {
    'tag.ndjson': '{"name":"caf\xe9"}\n',
    'tag.json': '[{"name":"caf\xe9"}]',
    'tag.csv': 'name\ncaf\xe9\n',
    '3-tag.csv': 'name\ncaf\xc3',
  }
  for (const [file, text] of Object.entries(notUtf8)) {
    it(`refuse encodings other than UTF-8: ${file}`, async () => {
      expect(await refusal(() => apply(file, Buffer.from(text, 'latin1')))).to.match(/not UTF-8/)
    })
  }

  it('accept UTF-16 with a byte order mark', async () => {
    expect(await rowsOf([Buffer.from('\ufeffname\nd\u00e9j\u00e0\n', 'utf16le')])).to.deep.equal([
      { name: 'd\u00e9j\u00e0' },
    ])
  })
})
