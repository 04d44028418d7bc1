import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ALL_GRANTS, type Grants } from '../../src/people/access/principal.ts'
import { writeTypeScript } from '../../src/describe/client-code/write-typescript.ts'
import { describeApi } from '../../src/describe/openapi/describe-api.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { define, typeFile } from '../schema/define.ts'
import { findSuite } from '../conformance/find-suite.ts'
import { loadSchema } from '../../src/server/services/load-schema.ts'
import { OPENAPI_PROGRAM, POPULATED_PROGRAM, SAMPLE_PROGRAM, STORE_PROGRAM } from './programs.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc')

const LOCALES = {
  defaultCode: 'en',
  all: [{ code: 'en' }, { code: 'de' }],
  has: (code: string) => ['en', 'de'].includes(code),
}

const OPTIONS = {
  strict: true,
  noEmit: true,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022', 'dom'],
  types: [],
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
}

/** The TypeScript blocks of all pages, each as a separate module, without extensions of the server. */
async function examplesOfDocs(): Promise<readonly string[]> {
  const pages = ['README.md', 'CONTRIBUTING.md']
  for (const folder of ['docs', 'packages', 'tools', 'examples']) {
    const names = await readdir(path.join(ROOT, folder), { recursive: true })
    const own = names.filter((name) => !/(^|\/)node_modules\//.test(name) && name.endsWith('.md'))
    pages.push(...own.map((name) => path.join(folder, name)))
  }
  const texts = await Promise.all(pages.map((page) => readFile(path.join(ROOT, page), 'utf8')))
  return texts.flatMap((text) =>
    [...text.matchAll(/^```(?:ts|tsx|typescript)\n(.*?)^```$/gms)]
      .map(([, block = '']) => block)
      .filter((block) => !block.includes(`from '@quire/server'`)),
  )
}

describe('the types of @quire/client', () => {
  let folder: string
  beforeEach(async () => {
    // In the folder of the packages, so that they resolve like in an app.
    await mkdir(path.join(ROOT, 'dist'), { recursive: true })
    folder = await mkdtemp(path.join(ROOT, 'dist/client-types-'))
    await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(
      path.join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: OPTIONS, include: ['*.ts'] }),
    )
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const generate = async (contentTypes: string, grants: Grants = ALL_GRANTS): Promise<string> =>
    writeTypeScript({ schema: await loadSchema(contentTypes), locales: LOCALES, grants })

  /** The errors of the compiler, or an empty string. */
  const compile = async (files: Readonly<Record<string, string>>): Promise<string> => {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text)
    const run = promisify(execFile)(process.execPath, [TSC, '-p', folder])
    return run.then(
      () => '',
      (error: unknown) => (error as { readonly stdout: string }).stdout,
    )
  }

  it('accepts valid programs, and rejects every marked line', async () => {
    const content = await generate(path.join(ROOT, 'content-types'))
    const programs = { 'program.ts': SAMPLE_PROGRAM, 'store.ts': STORE_PROGRAM }
    expect(await compile({ 'content.ts': content, ...programs })).to.equal('')
  })

  it('types the attributes of a default populate', async () => {
    const schema = compileSchema(
      define(
        typeFile(
          'post',
          {
            title: { type: 'string' },
            author: { type: 'relation', relation: 'manyToOne', target: 'api::author.author' },
            tags: { type: 'relation', relation: 'manyToMany', target: 'api::tag.tag' },
            cover: { type: 'media' },
          },
          { options: { api: { populate: { author: { fields: ['name'] }, tags: true } } } },
        ),
        typeFile('author', { name: { type: 'string' }, bio: { type: 'text' } }),
        typeFile('tag', { name: { type: 'string' } }),
        typeFile(
          'home',
          { lead: { type: 'relation', relation: 'oneToOne', target: 'api::post.post' } },
          { kind: 'singleType', options: { api: { populate: '*' } } },
        ),
      ),
    )
    const content = writeTypeScript({ schema, locales: LOCALES, grants: ALL_GRANTS })
    expect(await compile({ 'content.ts': content, 'program.ts': POPULATED_PROGRAM })).to.equal('')
  })

  it('compiles every TypeScript example of the docs', async () => {
    const blocks = await examplesOfDocs()
    expect(blocks.length).to.be.above(2)
    const content = await generate(path.join(ROOT, 'content-types'))
    const programs = blocks.map((text, index) => [`example-${index}.ts`, text] as const)
    const files = { 'content.ts': content, ...Object.fromEntries(programs) }
    expect(await compile(files)).to.equal('')
  })

  it('contains no type that a role may not find', async () => {
    const folder = path.join(ROOT, 'content-types')
    const content = await generate(folder, new Set(['api::article.article.find']))
    expect(content).to.include('interface Article').and.to.include('interface UploadFile')
    expect(content).to.not.match(/\b(?:Countr|countr|Categor|categor|Cit(?:y|ies)\b)/)
    expect(await compile({ 'content.ts': content, 'program.ts': 'export {}' })).to.equal('')
  })

  it('matches the API description, for openapi-typescript and openapi-fetch', async () => {
    const schema = await loadSchema(path.join(ROOT, 'content-types'))
    const bounds = {
      locales: LOCALES,
      defaultLimit: 25,
      maxLimit: 100,
      refresh: true,
      registerFields: [],
    }
    const facts = { ...bounds, schema, serverUrl: 'http://127.0.0.1:1337' }
    const description = JSON.stringify(describeApi(facts, ALL_GRANTS))
    await writeFile(path.join(folder, 'openapi.json'), description)
    // The copy of the package, because it needs a TypeScript with an API.
    const generator = path.join(ROOT, 'packages/client/node_modules/openapi-typescript/bin/cli.js')
    const files = ['openapi.json', '--output', 'openapi.ts']
    await promisify(execFile)(process.execPath, [generator, ...files], { cwd: folder })
    const content = 'export {}'
    expect(await compile({ 'content.ts': content, 'program.ts': OPENAPI_PROGRAM })).to.equal('')
  })

  it('compiles the content-types of the conformance suite', async function () {
    let suite: string
    try {
      suite = findSuite(process.env['CONFORMANCE_DIR'], ROOT)
    } catch {
      return this.skip()
    }
    const contentTypes = path.join(suite, 'content-types')
    if (!existsSync(contentTypes)) return this.skip()
    const content = await generate(contentTypes)
    expect(await compile({ 'content.ts': content, 'program.ts': 'export {}' })).to.equal('')
  })
})
