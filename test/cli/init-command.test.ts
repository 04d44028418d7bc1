import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { initProject } from '../../src/cli/init-command.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { UNOPENED } from './unopened.ts'

const ARTICLE = {
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  attributes: { title: { type: 'string' } },
}

describe('quire init', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-init-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (path: string, content: unknown): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content),
    )
  }
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const list = (): readonly string[] => readdirSync(folder).sort()

  it('writes all files of a project into an empty folder', async () => {
    const { written, kept, check } = await initProject(folder)
    expect(kept).to.deep.equal([])
    expect(check).to.equal(null)
    expect(written).to.include.members([
      '.env.example',
      '.gitignore',
      'content-types/article.json',
      'content/img/mountains.png',
      'extensions/project.ts',
      'package.json',
      'quire.config.ts',
      'test/api.test.ts',
    ])
  })

  it('writes nothing when it runs again', async () => {
    await initProject(folder)
    const before = list()
    const { written, scripts, addsDependency } = await initProject(folder)
    expect({ written, scripts, addsDependency }).to.deep.equal({
      written: [],
      scripts: [],
      addsDependency: false,
    })
    expect(list()).to.deep.equal(before)
  })

  it('keeps files, and adds scripts and the dependency to package.json', async () => {
    write('package.json', {
      name: 'shop',
      scripts: { dev: 'next dev' },
      dependencies: { next: '1' },
    })
    write('.gitignore', 'mine\n')
    write('content-types/product.json', ARTICLE)
    const { kept, scripts, addsDependency } = await initProject(folder)
    expect(kept).to.deep.equal(['.gitignore'])
    expect(read('.gitignore')).to.equal('mine\n')
    expect(scripts).to.deep.equal(['quire:dev', 'build', 'start', 'seed'])
    expect(addsDependency).to.equal(true)
    const file = JSON.parse(read('package.json')) as {
      readonly scripts: Readonly<Record<string, string>>
      readonly dependencies: Readonly<Record<string, string>>
    }
    expect(file.scripts['dev']).to.equal('next dev')
    expect(Object.keys(file.dependencies)).to.deep.equal(['next', '@quire/server'])
    expect(list()).to.include('content-types').and.not.include('content')
  })

  it('finds the content-types of a Strapi project and reports its code', async () => {
    write('package.json', { name: 'blog', scripts: { start: 'strapi start' } })
    write('src/api/article/content-types/article/schema.json', ARTICLE)
    const hook = 'module.exports = { beforeCreate(event) { event.params.data.title += "!" } }'
    write('src/api/article/content-types/article/lifecycles.js', hook)
    const { written, check } = await initProject(folder)
    expect(written).to.deep.equal([
      '.dockerignore',
      '.env.example',
      '.gitignore',
      'extensions/project.ts',
      'quire.config.ts',
      'tsconfig.json',
    ])
    expect(read('quire.config.ts')).to.include("contentTypesDir: '.'")
    expect(check?.types.map(({ uid }) => uid)).to.deep.equal(['api::article.article'])
    expect(JSON.stringify(check)).to.include('lifecycles')
  })

  it('keeps a configuration file of another ending, and writes JavaScript if asked', async () => {
    write('quire.config.mjs', 'export default {}')
    const said: string[] = []
    const output = {
      out: (text: string) => said.push(text),
      error: (text: string) => said.push(text),
    }
    const status = await runCli(['init', folder, '--javascript'], UNOPENED, output)
    expect(status).to.equal(0)
    expect(list()).to.include('quire.config.mjs').and.not.include('quire.config.js')
    expect(list()).to.not.include('tsconfig.json')
    expect(said.join('\n')).to.include('extensions/project.js')
  })
})
