import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { runCli } from '../../src/cli/run-cli.ts'
import { type Access, openAccess } from '../../src/people/access/access.ts'
import { compileActions } from '../../src/people/access/actions.ts'
import type { AdministratorsContext } from '../../src/people/administrators/administrators.ts'
import { listAdministratorRoles } from '../../src/people/administrators/administrator-roles.ts'
import { openAdministrators } from '../../src/people/administrators/open-administrators.ts'
import { openPasswords } from '../../src/people/sign-in/passwords.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { define, typeFile } from '../schema/define.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { UNOPENED } from './unopened.ts'

const NOTE = 'api::note.note'
const OWN = { createdBy: '$user' }

describe('commands for rules of permissions', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let access: Access
  let administrators: AdministratorsContext
  let folder: string

  before(async () => {
    test = await openTestDatabase('cli_rules')
    folder = await mkdtemp(path.join(tmpdir(), 'quire-rules-'))
    const schema = compileSchema(define(typeFile('note', { text: { type: 'string' } })))
    access = await openAccess(test.database, compileActions(schema), { rootApiToken: null })
    administrators = await openAdministrators({
      db: test.database,
      actions: access.actions,
      passwords: openPasswords(),
      secret: 'of the test',
      publicUrl: 'https://cms.example.org',
      secondFactor: 'off',
      oidc: null,
      now: () => new Date(),
    })
  })
  after(async () => {
    await test.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const unused = (): Promise<never> => Promise.reject(new Error('no command here needs it'))

  const quire = async (...words: readonly string[]) => {
    const said = { out: '', error: '' }
    const openContext = () =>
      Promise.resolve({
        access: () => Promise.resolve(access),
        administrators: () => Promise.resolve(administrators),
        publicUrl: '',
        locales: unused,
        users: unused,
        api: unused,
        content: unused,
        media: unused,
        webhooks: unused,
        planSchema: unused,
        compactSchema: unused,
        renameLocale: unused,
        restartLog: unused,
        openImport: unused,
        close: () => Promise.resolve(),
      })
    const output = {
      out: (text: string) => void (said.out += text),
      error: (text: string) => void (said.error += text),
    }
    const status = await runCli(words, { ...UNOPENED, openContext }, output)
    return { status, ...said }
  }

  it('grants and revokes an action under a rule', async () => {
    const where = JSON.stringify(OWN)
    const grant = ['role', 'grant', 'authenticated', `${NOTE}.update`] as const
    const granted = await quire(...grant, '--where', where, '--fields', 'text')
    expect(granted.status, granted.error).to.equal(0)
    expect(granted.out).to.match(/api::note\.note\.update +\{"createdBy":"\$user"\} +text/)
    const again = await quire(...grant, '--where', where, '--fields', 'text', '--json')
    const rule = { action: `${NOTE}.update`, where: OWN, fields: ['text'] }
    expect(JSON.parse(again.out).rules).to.deep.equal([rule])
    const shown = await quire('role', 'show', 'authenticated', '--json')
    expect(JSON.parse(shown.out).rules).to.deep.equal([rule])
    const revoked = await quire('role', 'revoke', 'authenticated', `${NOTE}.update`, '--json')
    expect(JSON.parse(revoked.out)).not.to.have.property('rules')
  })

  it('refuses a rule for an action that the role has without one', async () => {
    await quire('role', 'grant', 'public', `${NOTE}.find`)
    const refused = await quire('role', 'grant', 'public', `${NOTE}.find`, '--where', '{}')
    expect(refused.status).to.equal(1)
    expect(refused.error).to.equal(
      `The role public has ${NOTE}.find without a rule; revoke it first`,
    )
    await quire('role', 'revoke', 'public', `${NOTE}.find`)
  })

  it('names the fault of a rule that does not fit', async () => {
    const grant = ['role', 'grant', 'public', `${NOTE}.find`, '--where'] as const
    expect((await quire(...grant, '{')).status).to.equal(2)
    expect((await quire(...grant, '[]')).error).to.equal('--where must be a JSON object')
    const unknown = await quire(...grant, '{"txt": "a"}')
    expect([unknown.status, unknown.error]).to.deep.equal([
      1,
      'Invalid key txt; did you mean text?',
    ])
  })

  it('creates a token with rules', async () => {
    const rule = { action: `${NOTE}.find`, where: { text: 'a' } }
    const create = ['token', 'create', 'app', '--type', 'custom'] as const
    const made = await quire(...create, '--rule', JSON.stringify(rule), '--json')
    expect(made.status, made.error).to.equal(0)
    expect(JSON.parse(made.out).rules).to.deep.equal([rule])
  })

  it('applies access.json once, and exports it', async () => {
    const file = path.join(folder, 'access.json')
    const note = { action: `${NOTE}.find`, where: OWN }
    const declared = {
      roles: {
        authenticated: { permissions: [`${NOTE}.create`], rules: [note] },
        member: { name: 'Member', permissions: [], rules: [note] },
      },
      administratorRoles: {
        writer: {
          permissions: [{ action: `${NOTE}.find` }],
          rules: [{ ...note, action: `${NOTE}.update` }],
        },
      },
      apiTokens: { app: { permissions: [`${NOTE}.find`] } },
    }
    await writeFile(file, JSON.stringify(declared))
    const tried = await quire('apply', file, '--dry-run', '--json')
    expect((await access.roles.list()).map(({ type }) => type)).not.to.include('member')
    const first = await quire('apply', file, '--json')
    expect(first.status, first.error).to.equal(0)
    expect(tried.out).to.equal(first.out)
    expect(JSON.parse(first.out).access).to.deep.equal({
      'role authenticated': 'updated',
      'role member': 'created',
      'administrator role writer': 'created',
      'API token app': 'updated',
    })
    expect((await access.roles.get('authenticated')).rules).to.deep.equal([note])
    const [writer] = (await listAdministratorRoles(administrators)).filter(
      ({ type }) => type === 'writer',
    )
    expect(writer?.rules).to.deep.equal([{ ...note, action: `${NOTE}.update` }])
    const exported = path.join(folder, 'export', 'access.json')
    expect((await quire('export', exported)).status).to.equal(1)
    const written = await quire('export', file)
    expect(written.status, written.error).to.equal(0)
    const { roles } = JSON.parse(await readFile(file, 'utf8'))
    expect(roles.member).to.deep.equal({
      name: 'Member',
      description: '',
      permissions: [],
      rules: [note],
    })
    const second = JSON.parse((await quire('apply', file, '--json')).out).access
    expect(new Set(Object.values(second))).to.deep.equal(new Set(['unchanged']))
  })

  it('names the file and the role of a fault', async () => {
    const file = path.join(folder, 'access.json')
    const rules = [{ action: `${NOTE}.find`, where: { none: 1 } }]
    await writeFile(file, JSON.stringify({ roles: { public: { permissions: [], rules } } }))
    const { status, error } = await quire('apply', file)
    expect([status, error]).to.deep.equal([
      1,
      `${file}: role public: rules 0 where Invalid key none`,
    ])
    await writeFile(file, JSON.stringify({ rolls: {} }))
    expect((await quire('apply', file)).error).to.equal(`${file}: rolls is not allowed`)
    await writeFile(file, '{')
    expect((await quire('apply', file)).error).to.equal(`${file} is not JSON`)
    const apiTokens = { other: { permissions: [] } }
    await writeFile(file, JSON.stringify({ apiTokens }))
    expect((await quire('apply', file)).error).to.match(/API token other: there is no custom token/)
  })
})
