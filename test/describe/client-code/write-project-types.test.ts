import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { writeProjectTypes } from '../../../src/describe/client-code/write-project-types.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { readDefinitions } from '../../../src/schema/read-definitions.ts'
import { declare } from '../../support/server.ts'
import { writeContentTypes } from '../../support/server-process.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

const TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string', required: true },
      views: { type: 'integer' },
      level: { type: 'enumeration', enum: ['low', 'high'] },
      body: { type: 'blocks' },
      secret: { type: 'string', private: true },
      cover: { type: 'media' },
      seo: { type: 'component', component: 'shared.seo' },
      parts: { type: 'dynamiczone', components: ['shared.seo'] },
      author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
    },
    { localized: true },
  ),
  author: declare('author', { name: { type: 'string' } }),
  home: declare('home', { title: { type: 'string' } }, { kind: 'singleType' }),
  'components/shared/seo': {
    collectionName: 'components_shared_seos',
    info: { displayName: 'Seo' },
    attributes: { title: { type: 'string' } },
  },
}

const USE = `import { defineExtension } from '@quire/server'
export default defineExtension({
  name: 'probe',
  contentTypes: {
    'api::article.article': {
      beforeWrite({ data, previous }) {
        const title: string | undefined = data.title ?? previous?.title ?? undefined
        data.views = (title ?? '').length
        return data
      },
      computed: { size: { type: 'integer', version: 1, from: ['title'], value: ({ title }) => (title ?? '').length } },
    },
  },
  async start({ content }) {
    const { data } = await content.articles.find({ filters: { views: 1 } }, { as: 'system' })
    const level: 'low' | 'high' | null | undefined = data[0]?.level
    const name: string | null | undefined = data[0]?.author?.name
    await content.articles.create({ title: 'x', level, author: name ?? null, parts: [{ __component: 'shared.seo', title: 'x' }] }, { as: 'system' })
    const home: string | null | undefined = (await content.home.find({}, { as: 'system' }))?.title
    await content.home.update({ title: home }, { as: 'system' })
  },
})
`

const FAULTS: readonly [string, string][] = [
  [`content.artikles.find({}, { as: 'system' })`, 'artikles'],
  [`content.articles.find({})`, 'Expected 2 arguments'],
  [`content.articles.create({}, { as: 'system' })`, 'title'],
  [`content.articles.create({ title: 1 }, { as: 'system' })`, 'number'],
  [`content.articles.create({ title: 'x', level: 'mid' }, { as: 'system' })`, 'mid'],
  [`content.home.find('id', {}, { as: 'system' })`, 'Expected 2 arguments'],
  [`(await content.articles.findOne('x', {}, { as: 'system' }))?.secret`, 'secret'],
]

describe('writeProjectTypes', () => {
  let folder: string

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-project-types-'))
    mkdirSync(path.join(folder, 'node_modules/@quire'), { recursive: true })
    symlinkSync(ROOT, path.join(folder, 'node_modules/@quire/server'))
    const schema = compileSchema(await readDefinitions(writeContentTypes(TYPES)))
    writeFileSync(path.join(folder, 'quire-types.d.ts'), writeProjectTypes(schema))
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      skipLibCheck: true,
      types: [],
    }
    writeFileSync(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, include: ['*.ts'] }),
    )
    writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }')
  })

  async function compile(source: string): Promise<string> {
    writeFileSync(path.join(folder, 'extension.ts'), source)
    const typescript = path.dirname(
      createRequire(import.meta.url).resolve('typescript/package.json'),
    )
    const words = [path.join(typescript, 'bin/tsc'), '-p', folder]
    return promisify(execFile)(process.execPath, words).then(
      () => '',
      (failed: unknown) => String(Object(failed).stdout),
    )
  }

  it('types hooks, computed attributes and the content service', async () => {
    expect(await compile(USE)).to.equal('')
  })

  it('lets the compiler refuse mistakes', async () => {
    const lines = FAULTS.map(([line]) => `  void (${line})`)
    const source = [
      `import type { ContentService } from '@quire/server'`,
      'export async function probe(content: ContentService): Promise<void> {',
      ...lines,
      '}',
    ]
    const output = (await compile(source.join('\n')))
      .split('\n')
      .filter((one) => one.includes('error'))
    expect(output.length, output.join('\n')).to.equal(FAULTS.length)
    for (const [index, [, word]] of FAULTS.entries()) {
      expect(output[index])
        .to.include(`extension.ts(${index + 3},`)
        .and.include(word)
    }
  })
})
