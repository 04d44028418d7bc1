import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { askQuestions } from '@quire/create/ask-questions'
import { planProject } from '@quire/create/plan-project'
import { explainName, nameOfFolder } from '@quire/create/project-options'
import { expect } from 'chai'
import { VARIABLES } from '../../src/base/config/variables.ts'

const CREATE = fileURLToPath(
  new URL('../../../packages/create/dist/src/create.js', import.meta.url),
)
const DEFAULTS = { name: 'my-cms', sample: true, language: 'typescript' } as const
const OPTIONS = { ...DEFAULTS, version: '0.1.0', platform: 'linux' } as const

const paths = async (options: Parameters<typeof planProject>[0]): Promise<readonly string[]> =>
  (await planProject(options)).map(({ path }) => path)
const textOf = async (
  options: Parameters<typeof planProject>[0],
  wanted: string,
): Promise<string> =>
  String((await planProject(options)).find(({ path }) => path === wanted)?.content ?? '')

describe('planProject', () => {
  it('plans the tree of a project with sample content', async () => {
    expect(await paths(OPTIONS)).to.deep.equal([
      '.dockerignore',
      '.env.example',
      '.gitignore',
      'Dockerfile',
      'README.md',
      'compose.yaml',
      'content-types/article.json',
      'content-types/components/shared/seo.json',
      'content/article.json',
      'content/img/mountains.png',
      'extensions/project.ts',
      'package.json',
      'quire.config.ts',
      'test/api.test.ts',
      'tsconfig.json',
    ])
  })

  it('plans JavaScript without TypeScript, and without sample content', async () => {
    const options = { ...OPTIONS, language: 'javascript', sample: false } as const
    expect(await paths(options)).to.deep.equal([
      '.dockerignore',
      '.env.example',
      '.gitignore',
      'Dockerfile',
      'README.md',
      'compose.yaml',
      'content-types/.gitkeep',
      'content/.gitkeep',
      'extensions/project.js',
      'package.json',
      'quire.config.js',
      'test/empty.test.js',
    ])
    expect(await textOf(options, 'test/empty.test.js')).to.not.match(/: TestServer|type TestServer/)
    expect(await textOf(options, 'quire.config.js')).to.include("'./extensions/project.js'")
    expect(await textOf(options, 'package.json')).to.not.include('register')
  })

  it('fills every placeholder', async () => {
    for (const { path, content } of await planProject(OPTIONS)) {
      expect(String(content), path).to.not.match(/\{\{\w+\}\}/)
    }
  })

  it('replaces the shell in every script, except on Windows', async () => {
    const scriptsOf = async (platform: NodeJS.Platform): Promise<readonly string[]> => {
      const { scripts } = JSON.parse(await textOf({ ...OPTIONS, platform }, 'package.json')) as {
        readonly scripts: Readonly<Record<string, string>>
      }
      return Object.values(scripts)
    }
    expect((await scriptsOf('linux')).every((script) => script.startsWith('exec '))).to.equal(true)
    expect((await scriptsOf('win32')).some((script) => script.includes('exec '))).to.equal(false)
  })

  it('names variables that exist', async () => {
    const env = await textOf(OPTIONS, '.env.example')
    const compose = await textOf(OPTIONS, 'compose.yaml')
    const names = [
      ...[...env.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name = '']) => name),
      ...[...compose.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, name = '']) => name),
    ]
    expect(names.length).to.be.above(6)
    expect(names.filter((name) => !(name in VARIABLES))).to.deep.equal([])
  })
})

describe('the questions of npm create', () => {
  const ask = async (answers: readonly string[]): Promise<unknown> => {
    const input = new PassThrough()
    const output = new PassThrough()
    let left = [...answers]
    output.on('data', (chunk: Buffer) => {
      if (!/[:\]] $/.test(chunk.toString()) && !chunk.toString().endsWith('): ')) return
      const [next = '', ...rest] = left
      left = rest
      input.write(`${next}\n`)
    })
    return askQuestions({}, DEFAULTS, { input, output } as never)
  }

  it('take the defaults for empty answers', async () => {
    expect(await ask(['', '', ''])).to.deep.equal(DEFAULTS)
  })

  it('are asked again for a name that npm refuses', async () => {
    expect(await ask(['My CMS', 'shop', 'n', 'js'])).to.deep.equal({
      name: 'shop',
      sample: false,
      language: 'javascript',
    })
  })

  it('derive a valid name from any folder', () => {
    for (const folder of ['My CMS', '.hidden', '-x-', 'ümlaut', '…', 'shop_2']) {
      expect(explainName(nameOfFolder(folder)), folder).to.equal(null)
    }
  })
})

describe('npm create', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quire-create-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const create = (...args: readonly string[]): { readonly status: number | null; text: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CREATE, ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
    return { status, text: stdout + stderr }
  }

  it('creates a project without questions', () => {
    const { status, text } = create('my-cms', '--yes', '--no-install')
    expect(status, text).to.equal(0)
    const file = readFileSync(join(folder, 'my-cms/package.json'), 'utf8')
    expect(JSON.parse(file)).to.include({ name: 'my-cms', type: 'module' })
    expect(text).to.include('npm run dev')
  })

  it('refuses a folder with files, unknown options and a missing terminal', () => {
    mkdirSync(join(folder, 'full/inside'), { recursive: true })
    expect(create('full', '--yes').text).to.include('is not empty')
    expect(create('x', '--frobnicate').text).to.include('Usage: npm create')
    expect(create('x').text).to.include('--yes')
    expect(existsSync(join(folder, 'x'))).to.equal(false)
    expect(readdirSync(join(folder, 'full'))).to.deep.equal(['inside'])
  })
})
