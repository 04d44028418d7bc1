import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readSignInProviders } from '../../src/base/config/sign-in-providers.ts'
import { VARIABLES } from '../../src/base/config/variables.ts'
import { NODE_FLAGS } from '../../src/base/config/node-flags.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { codeBlocksOf, PAGES, readPage, ROOT } from '../support/pages.ts'
import { type Command, commandsIn } from '../support/shell-lines.ts'

/** Decisions show commands of their time. */
const GUIDES = PAGES.filter((page) => !page.startsWith('docs/decisions/'))
/** Programs of the operating system and of MongoDB. */
const FOREIGN = new Set(
  'cd cp curl docker export for generate-lines git jq kubectl mongodump mongorestore node openssl rsync'.split(
    ' ',
  ),
)
/** Folders that a command of the page creates. */
const CREATED = new Set(['my-cms', 'quire', 'shop'])
const NPX_TOOLS = new Set(['mocha', 'openapi-typescript', 'tsc', 'vite'])

interface Shown extends Command {
  readonly page: string
}

const shown: readonly Shown[] = GUIDES.flatMap((page) =>
  codeBlocksOf(page)
    .filter(({ language }) => ['', 'bash', 'sh'].includes(language))
    .flatMap(({ text }) => commandsIn(text))
    .map((command) => ({ page, ...command })),
)
const run = shown.filter(({ words }) => words.length > 0)
const QUIRE = new Set(['quire', '@quire/server'])
const quire = run.filter(({ words }) => words[0] === 'npx' && QUIRE.has(words[1] ?? ''))
const labelOf = ({ page, words }: Shown): string => `${page}: ${words.join(' ')}`

describe('the commands of the documentation', () => {
  it('run known programs', () => {
    const unknown = run.filter(
      ({ words: [program = '', name = ''] }) =>
        !FOREIGN.has(program) &&
        !(program === 'npx' && (QUIRE.has(name) || NPX_TOOLS.has(name))) &&
        program !== 'npm',
    )
    expect(unknown.map(labelOf)).to.deep.equal([])
  })

  it('run npm scripts that exist', async () => {
    const scripts = shown.filter(({ words }) => words[0] === 'npm')
    expect(scripts.length).to.be.above(20)
    const { default: root } = await import(join(ROOT, 'package.json'), { with: { type: 'json' } })
    const wrong = scripts.filter(({ words }) => {
      const [, verb = '', name = ''] = words
      const script = verb === 'run' ? name : verb
      if (verb === 'create') return name !== '@quire'
      if (verb === 'install') return words.length < 3
      return !['ci', 'prune'].includes(script) && !(script in root.scripts)
    })
    expect(wrong.map(labelOf)).to.deep.equal([])
  })

  it('are understood by quire', async () => {
    expect(quire.length).to.be.above(40)
    for (const command of quire) {
      const fault = await faultOf(command.words.slice(2))
      expect(fault, labelOf(command)).to.equal(null)
    }
  })

  it('exist if the text names them', async () => {
    const named = GUIDES.flatMap((page) =>
      [...readPage(page).matchAll(/`(?:npx )?quire ([a-z][^`]*)`/g)].map(([, line = '']) => ({
        page,
        line,
      })),
    )
    expect(named.length).to.be.above(40)
    for (const { page, line } of named) {
      const [noun = '', verb = ''] = line.split(' ')
      for (const each of verb.split('|')) {
        const isKnown = await knows(noun, each)
        expect(isKnown, `${page}: quire ${noun} ${each}`).to.equal(true)
      }
    }
  })

  it('set variables that the server reads', () => {
    const names = shown.flatMap(({ page, variables }) =>
      variables.map((name) => `${page}: ${name}`),
    )
    expect(names.length).to.be.above(15)
    const unknown = names.filter((name) => !isVariable(name.split(': ')[1] ?? ''))
    expect(unknown).to.deep.equal([])
  })

  it('set variables that exist where the text sets them', () => {
    const names = GUIDES.filter((page) => page !== 'docs/testing.md').flatMap((page) =>
      [...readPage(page).matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+)=/g)].map(
        ([, name = '']) => `${page}: ${name}`,
      ),
    )
    expect(names.length).to.be.above(20)
    const unknown = names.filter((name) => !isVariable(name.split(': ')[1] ?? ''))
    expect(unknown).to.deep.equal([])
  })

  it('start servers with the same flags: npm start, quire start and the image', async () => {
    const { default: root } = await import(join(ROOT, 'package.json'), { with: { type: 'json' } })
    const flags = root.scripts.start
      .replace(/^exec node /, '')
      .replace(/ \S+$/, '')
      .split(' ')
    expect(flags).to.deep.equal([...NODE_FLAGS])
    const image = JSON.stringify(['node', ...NODE_FLAGS, 'dist/src/server/main.js'])
    expect(readPage('Dockerfile').replaceAll('", "', '","')).to.include(`CMD ${image}`)
  })

  it('run in folders that exist', () => {
    const folders = shown.filter(
      ({ words: [program, folder] }) => program === 'cd' && !CREATED.has(folder ?? ''),
    )
    const missing = folders.filter(({ words }) => !existsSync(join(ROOT, words[1] ?? '')))
    expect(missing.map(labelOf)).to.deep.equal([])
  })
})

/** MALLOC_ARENA_MAX is a variable of glibc, MONGOMS_… are those of mongodb-memory-server. */
function isVariable(name: string): boolean {
  return (
    name in VARIABLES ||
    name === 'MALLOC_ARENA_MAX' ||
    name.startsWith('MONGOMS_') ||
    isProviderVariable(name)
  )
}

/** The start reads it: a provider with only one valid variable lacks others. */
function isProviderVariable(name: string): boolean {
  const { providers, faults } = readSignInProviders({ [name]: 'https://example.org' })
  return providers.size + faults.length > 0
}

const MAP = /^map (?:contentful|wordpress) \S+ --out \S+$/
const MISUSED = 2

/** Thrown instead of opening a database: by then, the command line is understood. */
class Understood extends Error {}

const refuse = (): Promise<never> => Promise.reject(new Understood())
const NO_DATABASE: Parameters<typeof runCli>[1] = {
  installation: {
    readConfig: () => {
      throw new Understood()
    },
    startDeployment: refuse,
    readExtensions: refuse,
  },
  openContext: refuse,
}

/** The message for a command line that quire does not understand, or null. */
async function faultOf(words: readonly string[]): Promise<string | null> {
  if (words[0] === 'map') return MAP.test(words.join(' ')) ? null : `not ${String(MAP)}` // it writes
  const said: string[] = []
  const status = await runQuietly(words, said).catch((error: unknown) => {
    if (error instanceof Understood) return null
    throw error
  })
  return status === MISUSED ? said.join() : null
}

/** Whether quire has a command, by its help. */
async function knows(noun: string, verb: string): Promise<boolean> {
  const words = /^[a-z]+$/.test(verb) ? [noun, verb, '--help'] : [noun, '--help']
  return (await runQuietly(words, [])) === 0
}

function runQuietly(words: readonly string[], said: string[]): Promise<number> {
  const say = (text: string): unknown => said.push(text)
  return runCli(words, NO_DATABASE, { out: say, error: say })
}
