import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { examplesIn } from '../../support/page-examples.ts'
import { runLine } from '../../support/page-shell.ts'
import { codeBlocksOf, readPage, ROOT } from '../../support/pages.ts'
import { commandsIn } from '../../support/shell-lines.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const PAGE = 'docs/rules.md'
const CLI = path.join(ROOT, 'dist/src/cli/cli.js')

interface Ran {
  readonly status: number
  readonly body: Json
}

/** The files of the page, by the names in the text before them. */
function filesOfPage(): ReadonlyMap<string, string> {
  const named = readPage(PAGE).matchAll(/^`([\w./-]+)`:\n\n```json\n(.*?)^```$/gms)
  return new Map([...named].map(([, name = '', text = '']) => [name, text]))
}

describe('docs/rules.md', () => {
  let folder: string
  let server: TestServer
  const variables: Record<string, string> = {}

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quire-rules-'))
    for (const [name, text] of filesOfPage()) {
      const file = path.join(folder, name)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, text)
    }
    server = await serve('rules_page', {
      contentTypes: path.join(folder, 'content-types'),
      environment: { QUIRE_DATA_DIR: path.join(folder, 'data'), RATE_LIMIT: 'off' },
    })
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const run = (command: string): Promise<string> => runLine(command, folder, server, variables)

  const curl = async (example: string): Promise<Ran> => {
    const text = await run(example.replace(/^curl /, "curl -sS -w '\\n%{http_code}' "))
    const end = text.lastIndexOf('\n')
    return { status: Number(text.slice(end)), body: JSON.parse(text.slice(0, end)) }
  }

  const quire = async (line: string): Promise<Json> =>
    JSON.parse(await run(`${line.replace('npx quire', `"${process.execPath}" "${CLI}"`)} --json`))

  const commands = codeBlocksOf(PAGE)
    .filter(({ language }) => language === '')
    .flatMap(({ text }) => text.split('\n').map((line) => line.trim()))
    .filter((line) => line.startsWith('npx quire '))

  const listOf = async (type: string, token: string | undefined): Promise<Json> =>
    (await server.get(`/api/${type}?populate=*`, { token: token ?? null })).body

  it('stores the rules with the commands of the page', async () => {
    const [apply = '', show = '', grant = '', , ...others] = commands
    expect(others).to.deep.equal([])
    expect((await quire(apply)).access).to.deep.equal({
      'role authenticated': 'updated',
      'role public': 'updated',
    })
    expect((await quire(apply)).access['role public']).to.equal('unchanged')
    expect((await quire(show)).rules).to.have.length(10)
    expect((await quire(grant)).rules.at(-1)).to.deep.equal({
      action: 'api::post.post.findOne',
      where: { blocked: false },
      fields: ['title'],
    })
  })

  it('answers the requests as the page says', async () => {
    const examples = examplesIn(readPage(PAGE))
    expect(examples).to.have.length(9)
    const [anna = '', ben = '', write = '', ofAnna = '', ofBen = '', taken = '', ...rest] = examples
    for (const [name, example] of [
      ['ANNA', anna],
      ['BEN', ben],
    ] as const) {
      const { status, body } = await curl(example)
      expect(status, JSON.stringify(body)).to.equal(200)
      variables[name] = body.jwt
    }
    const made = await curl(write)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    expect((await curl(ofAnna)).body.data.map(({ title }: Json) => title)).to.deep.equal([
      'Buy a boat',
    ])
    expect((await curl(ofBen)).body).to.deep.include({ data: [] })
    const refused = await curl(taken)
    expect(refused.status).to.equal(403)
    expect(JSON.stringify(refused.body)).to.include('owner')
    await server.post('/api/posts', { title: 'Open' })
    await server.post('/api/posts', { title: 'Spam', blocked: true, reports: 7 })
    const [posts = '', filtered = ''] = rest
    const [post, ...more] = (await curl(posts)).body.data
    expect(more).to.deep.equal([])
    expect(post).to.include({ title: 'Open' })
    expect(post).to.not.have.any.keys('reports', 'blocked')
    expect((await curl(filtered)).status).to.equal(400)
  })

  it('tests the rules with the cases of the page', async () => {
    const [, , , test = ''] = commands
    const { cases, failed } = await quire(test)
    expect(failed).to.equal(0)
    expect(cases.map(({ allowed }: Json) => allowed)).to.deep.equal([true, false, false, false])
    const { body } = await server.get('/api/notes')
    expect(body.data.map(({ title }: Json) => title)).to.deep.equal(['Buy a boat'])
  })

  it('copies the own notes to the device of a user', async () => {
    const copied = examplesIn(readPage(PAGE)).at(-1) ?? ''
    const copy = await curl(copied)
    expect(copy.status, JSON.stringify(copy.body)).to.equal(200)
    expect(copy.body.items.map(({ data }: Json) => data.title)).to.deep.equal(['Buy a boat'])
    expect((await curl(copied.replace('$ANNA', '$BEN'))).body.items).to.deep.equal([])
  })

  it('shares lists with their members, who change the items only', async () => {
    const users = (await server.get('/api/users')).body as Json[]
    const idOf = (name: string): string =>
      users.find(({ username }) => username === name).documentId
    const made = await server.post('/api/lists', {
      name: 'Food',
      owner: idOf('anna'),
      members: [idOf('ben')],
      items: [{ text: 'Bread' }],
    })
    expect(made.status, made.text).to.equal(201)
    await server.post('/api/lists', { name: 'Secret', owner: idOf('anna') })
    const { BEN: token } = variables
    expect((await listOf('lists', token)).data.map(({ name }: Json) => name)).to.deep.equal([
      'Food',
    ])
    const address = `/api/lists/${made.body.data.documentId}`
    const change = (data: object, by: string | undefined) =>
      server.put(address, data, { token: by ?? null })
    expect((await change({ items: [{ text: 'Bread', done: true }] }, token)).status).to.equal(200)
    expect((await change({ members: [] }, token)).status).to.equal(403)
    expect((await change({ items: [] }, variables['ANNA'])).status).to.equal(403)
  })

  it('shows only commands that this test runs', () => {
    const words = codeBlocksOf(PAGE)
      .filter(({ language }) => language === '')
      .flatMap(({ text }) => commandsIn(text))
      .map((command) => command.words.slice(0, 3).join(' '))
    expect(new Set(words)).to.deep.equal(
      new Set([
        'npx quire apply',
        'npx quire role',
        'npx quire rules',
        'curl -g -X',
        'curl -g $QUIRE/api/notes',
        'curl -g $QUIRE/api/posts',
        'curl -g $QUIRE/api/posts?filters[reports][\\$gt]=3',
        'curl -g $QUIRE/api/_sync?types=note',
      ]),
    )
  })
})
