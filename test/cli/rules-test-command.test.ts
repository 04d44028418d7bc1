import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { addAdministrator } from '../support/admin-client.ts'
import { parseRuleCases } from '../../src/cli/rule-cases.ts'
import { ROOT } from '../support/pages.ts'
import { declare, type Json, serve, type TestServer } from '../support/server.ts'
import { runLine } from '../support/page-shell.ts'

const NOTE = 'api::note.note'
const LIST = 'api::list.list'
const CLI = path.join(ROOT, 'dist/src/cli/cli.js')
const OWN = { owner: '$user' }
const RULES = [
  { action: `${NOTE}.find`, where: OWN },
  { action: `${NOTE}.findOne`, where: OWN, fields: ['title'] },
  { action: `${NOTE}.readDrafts`, where: OWN },
  { action: `${NOTE}.create`, fields: ['title'], set: OWN },
  { action: `${NOTE}.update`, where: { ...OWN, title: { $ne: 'locked' } }, fields: ['title'] },
  { action: `${NOTE}.delete`, where: OWN },
  { action: `${NOTE}.publish`, where: OWN },
  { action: `${LIST}.find`, where: OWN },
  { action: `${LIST}.findOne`, where: OWN },
  { action: `${LIST}.update`, where: OWN },
  { action: `${NOTE}.sync`, where: { title: { $ne: 'his' } } },
  { action: `${LIST}.sync`, where: OWN },
]
const ADMINISTRATOR = { who: { administrator: 'ed@example.org' } }

describe('quire rules test', () => {
  let server: TestServer
  let folder: string
  const ids: Record<string, string> = {}

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quire-cases-'))
    const user = 'plugin::users-permissions.user'
    const owner = { type: 'relation', relation: 'manyToOne', target: user }
    const types = {
      note: declare(
        'note',
        {
          title: { type: 'string', unique: true },
          owner,
          lists: { type: 'relation', relation: 'manyToMany', target: LIST, mappedBy: 'notes' },
        },
        { draftAndPublish: true },
      ),
      list: declare('list', {
        name: { type: 'string' },
        owner,
        notes: { type: 'relation', relation: 'manyToMany', target: NOTE, inversedBy: 'lists' },
      }),
    }
    const contentTypes = path.join(folder, 'content-types')
    await mkdir(contentTypes)
    for (const [name, type] of Object.entries(types)) {
      await writeFile(path.join(contentTypes, `${name}.json`), JSON.stringify(type))
    }
    server = await serve('rules_test_command', {
      contentTypes,
      environment: { RATE_LIMIT: 'off', QUIRE_DATA_DIR: path.join(folder, 'data') },
    })
    const put = await server.send('PUT', '/admin/roles/authenticated', { body: { rules: RULES } })
    expect(put.status, put.text).to.equal(200)
    for (const name of ['anna', 'benn']) {
      const account = { username: name, email: `${name}@example.org`, password: 'a long password' }
      const made = await server.send('POST', '/api/auth/local/register', { body: account })
      expect(made.status, made.text).to.equal(200)
      ids[name] = made.body.user.documentId
    }
    const token = { name: 'app', type: 'custom', permissions: [`${NOTE}.find`, `${NOTE}.create`] }
    await server.send('POST', '/admin/api-tokens', { body: token })
    const note = await server.post('/api/notes', { title: 'hers', owner: ids['anna'] })
    ids['note'] = note.body.data.documentId
    const other = await server.post('/api/notes', { title: 'his', owner: ids['benn'] })
    ids['other'] = other.body.data.documentId
    await server.post('/api/lists', { name: 'her list', owner: ids['anna'] })
    await server.post('/api/lists', { name: 'his list', owner: ids['benn'] })
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const run = async (input: unknown) => {
    await writeFile(path.join(folder, 'cases.json'), JSON.stringify(input))
    const line = `"${process.execPath}" "${CLI}" rules test cases.json 2>error.txt || echo "status $?"`
    const out = await runLine(line, folder, server)
    return { out, error: await readFile(path.join(folder, 'error.txt'), 'utf8') }
  }

  const test = async (cases: readonly object[]): Promise<readonly boolean[]> => {
    const { out, error } = await run({ cases })
    expect(out, error).to.match(/\d+ of \d+ cases are as expected\./)
    return out
      .split('\n')
      .filter((line) => /^(ok|FAILED) /.test(line))
      .map((line) => !line.includes('refused: '))
  }

  it('decides each action like the server, and changes nothing', async () => {
    const anna = { who: { user: 'anna' }, entry: { title: 'hers' } }
    const benn = { who: { user: 'benn@example.org' }, entry: ids['note'] }
    const draft = { status: 'draft' }
    const cases: readonly (readonly [object, boolean])[] = [
      [{ ...anna, action: `${NOTE}.findOne` }, true],
      [{ ...anna, ...draft, action: `${NOTE}.findOne` }, true],
      [{ ...benn, action: `${NOTE}.find` }, false],
      [{ ...benn, action: `${NOTE}.findOne` }, false],
      [{ ...anna, action: `${NOTE}.update`, data: { title: 'new' } }, true],
      [{ ...anna, action: `${NOTE}.update`, data: { title: 'locked' } }, false],
      [{ ...anna, action: `${NOTE}.update`, data: { owner: ids['benn'] } }, false],
      [{ ...benn, action: `${NOTE}.update`, data: { title: 'new' } }, false],
      [{ ...anna, action: `${NOTE}.delete` }, true],
      [{ ...benn, action: `${NOTE}.delete` }, false],
      [{ ...anna, action: `${NOTE}.publish` }, true],
      [{ ...benn, action: `${NOTE}.publish` }, false],
      [{ who: benn.who, action: `${NOTE}.create`, data: { title: 'more' } }, true],
      [{ who: benn.who, action: `${NOTE}.create`, data: { owner: ids['anna'] } }, false],
      [{ who: { apiToken: 'app' }, action: `${NOTE}.find`, entry: ids['note'] }, true],
      [{ who: { apiToken: 'app' }, action: `${NOTE}.create`, data: { title: 'a' } }, true],
      [{ who: 'public', action: `${NOTE}.find`, entry: ids['note'] }, false],
      [{ who: 'public', action: `${NOTE}.create`, data: {} }, false],
    ]
    const before = await server.get('/api/notes?status=draft')
    const decided = await test(cases.map(([one, allowed]) => ({ ...one, allowed })))
    expect(decided).to.deep.equal(cases.map(([, allowed]) => allowed))
    expect((await server.get('/api/notes?status=draft')).text).to.equal(before.text)
  })

  it('decides which entries a device receives', async () => {
    const sync = { action: `${NOTE}.sync` }
    const cases: readonly (readonly [object, boolean])[] = [
      [{ ...sync, who: { user: 'anna' }, entry: ids['note'] }, true],
      [{ ...sync, who: { user: 'benn' }, entry: ids['note'] }, false],
      [{ ...sync, who: { user: 'benn' }, entry: ids['other'] }, false],
      [{ ...sync, who: { apiToken: 'app' }, entry: ids['note'] }, false],
      [{ action: `${LIST}.sync`, who: { user: 'anna' }, entry: { name: 'her list' } }, true],
    ]
    const decided = await test(cases.map(([one, allowed]) => ({ ...one, allowed })))
    expect(decided).to.deep.equal(cases.map(([, allowed]) => allowed))
  })

  it('decides actions of administrators', async () => {
    const own = { createdBy: '$user' }
    const rules = [
      ...['find', 'findOne', 'readDrafts'].map((verb) => ({ action: `${NOTE}.${verb}` })),
      { action: `${NOTE}.update`, where: { title: { $ne: 'his' } }, fields: ['title'] },
      { action: `${NOTE}.delete`, where: own },
    ]
    const body = { type: 'ed', name: 'Ed', rules }
    const made = await server.send('POST', '/admin/administrator-roles', { body })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Ed', ['ed'])
    const draft = { ...ADMINISTRATOR, entry: ids['note'], status: 'draft' }
    const cases: readonly (readonly [object, boolean])[] = [
      [{ ...draft, action: `${NOTE}.findOne` }, true],
      [{ ...draft, action: `${NOTE}.update`, data: { title: 'new' } }, true],
      [{ ...draft, action: `${NOTE}.update`, data: { owner: null } }, false],
      [{ ...draft, action: `${NOTE}.update`, entry: ids['other'], data: { title: 'new' } }, false],
      [{ ...draft, action: `${NOTE}.delete` }, false],
      [{ ...draft, action: `${NOTE}.publish` }, false],
      [{ ...ADMINISTRATOR, entry: { name: 'her list' }, action: `${LIST}.find` }, false],
    ]
    const decided = await test(cases.map(([one, allowed]) => ({ ...one, allowed })))
    expect(decided).to.deep.equal(cases.map(([, allowed]) => allowed))
  })

  it('refuses hidden entries and targets', async () => {
    const names = (await server.get('/api/lists')).body.data as Json[]
    const idOf = (name: string): string => names.find((one) => one.name === name).documentId
    const change = { who: { user: 'anna' }, action: `${LIST}.update`, allowed: true }
    const { out } = await run({
      cases: [
        { ...change, name: 'own', entry: { name: 'her list' }, data: { name: 'renamed' } },
        { ...change, name: 'note', entry: { name: 'her list' }, data: { notes: [ids['note']] } },
        { ...change, name: 'target', entry: { name: 'her list' }, data: { notes: [ids['other']] } },
        { ...change, name: 'foreign', entry: idOf('his list'), data: { name: 'renamed' } },
      ],
    })
    expect(out).to.match(/^ok +own +anna .*allowed$/m)
    expect(out).to.match(/^ok +note +anna .*allowed$/m)
    expect(out).to.match(/^FAILED +target +anna .*refused: .+$/m)
    expect(out).to.match(/^FAILED +foreign +anna .*refused: hidden$/m)
    expect(out).to.include('2 of 4 cases are as expected.')
    expect(out).to.include('status 1')
  })

  const good = { who: 'public', action: `${NOTE}.find`, entry: 'x', allowed: true }
  const malformed: readonly (readonly [unknown, RegExp])[] = [
    [{}, /cases is required/],
    [{ cases: [] }, /cases must contain at least 1/],
    [{ cases: [{ ...good, allowed: 'yes' }] }, /cases\[0\]\.allowed must be a boolean/],
    [{ cases: [{ ...good, wo: 1 }] }, /cases\[0\]\.wo is not allowed/],
    [{ cases: [{ ...good, who: {} }] }, /cases\[0\]\.who/],
  ]
  it('names the path of a malformed member', () => {
    for (const [input, message] of malformed) {
      expect(() => parseRuleCases(input)).to.throw(message)
    }
  })

  const faults: readonly (readonly [unknown, RegExp])[] = [
    [{ cases: [{ ...good, wo: 1 }] }, /cases\[0\]\.wo is not allowed/],
    [{ cases: [{ ...good, who: { user: 'none' } }] }, /cases\[0\]\.who: there is no user none/],
    [
      { cases: [{ ...good, who: { apiToken: 'none' } }] },
      /cases\[0\]\.who: there is no principal none/,
    ],
    [
      { cases: [{ ...good, action: `${NOTE}.readDrafts` }] },
      /cases\[0\]\.action: .*readDrafts is not an action/,
    ],
    [{ cases: [{ ...good, who: { administrator: 'none@example.org' } }] }, /cases\[0\]\.who: /],
    [{ cases: [good] }, /cases\[0\]\.entry: no document matches/],
    [{ cases: [{ ...good, entry: { titel: 'x' } }] }, /cases\[0\]\.entry: Invalid key titel/],
    [{ cases: [{ ...good, entry: { owner: { username: 'anna' } } }] }, /own attributes only/],
    [
      {
        cases: [
          {
            ...good,
            who: { apiToken: 'app' },
            action: `${NOTE}.create`,
            entry: undefined,
            data: { titel: 1 },
          },
        ],
      },
      /cases\[0\]: .*titel/,
    ],
  ]
  for (const [input, message] of faults) {
    it(`names the path of a fault: ${message.source}`, async () => {
      const { out, error } = await run(input)
      expect(error).to.match(message)
      expect(error).to.include('cases.json: ')
      expect(out).to.include('status 1')
    })
  }
})
