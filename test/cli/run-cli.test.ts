import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { type Access, openAccess } from '../../src/people/access/access.ts'
import { compileActions } from '../../src/people/access/actions.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { documentContext } from '../../src/server/services/document-context.ts'
import type { LocaleRename } from '../../src/server/locale-rename/rename-locale.ts'
import { openUserAttributes } from '../../src/server/services/open-user-attributes.ts'
import { type UserManagement } from '../../src/people/accounts/manage-users.ts'
import { openAdministrators } from '../../src/people/administrators/open-administrators.ts'
import { openPasswords } from '../../src/people/sign-in/passwords.ts'
import { USER } from '../../src/people/accounts/users.ts'
import { readHead } from '../../src/mongo/commits/heads.ts'
import { restartLog } from '../../src/mongo/commits/restart-log.ts'
import { openIdAllocator } from '../../src/mongo/system/id-allocator.ts'
import { BUILT_IN_TYPES } from '../../src/schema/built-in-types.ts'
import { checkDefinitions } from '../../src/schema/check/check.ts'
import { compileSchema } from '../../src/schema/compile.ts'
import { type Locales, openLocales } from '../../src/content/locales/locales.ts'
import { ConfigError } from '../../src/base/errors.ts'
import { SchemaError } from '../../src/schema/schema-error.ts'
import type { Schema } from '../../src/schema/plan.ts'
import { contentType } from '../fixtures/definitions.ts'
import { sampleSchema } from '../people/access/sample-schema.ts'
import { ensureWebhooks } from '../../src/changes/webhooks/webhook.ts'
import { startReceiver } from '../support/webhook-receiver.ts'
import { totpsOf } from '../../src/people/administrators/totp/totp-rows.ts'
import { openTestDatabase } from '../support/test-database.ts'
import { UNOPENED } from './unopened.ts'

const FIND = 'api::article.article.find'

function describedSchema(): Schema {
  const plain = { localized: false, draftAndPublish: false }
  const types = ['article', 'tag'].map((name) =>
    contentType(name, plain, { name: { type: 'string' } }),
  )
  return compileSchema({ contentTypes: [...types, ...BUILT_IN_TYPES], components: [] })
}

describe('commands of the CLI', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let access: Access
  let locales: Locales
  let opened: number

  before(async () => {
    test = await openTestDatabase('cli')
    const actions = compileActions(sampleSchema())
    access = await openAccess(test.database, actions, { rootApiToken: null })
    locales = await openLocales(test.database)
  })
  beforeEach(() => {
    opened = 0
  })
  after(() => test.drop())

  const plan = compileSchema(checkDefinitions([], BUILT_IN_TYPES)).contentTypes.get(USER)
  const users = (): UserManagement => {
    if (plan === undefined) throw new Error('There is no user')
    const ids = openIdAllocator(test.database)
    const now = (): Date => new Date()
    const passwords = openPasswords()
    const documents = documentContext(
      test.database,
      compileSchema(checkDefinitions([], BUILT_IN_TYPES)),
    )
    const attributes = openUserAttributes(documents, [])
    const { roles } = access
    return { db: test.database, plan, ids, now, passwords, roles, sessions: null, attributes }
  }
  const openWebhookParts = async () => {
    await ensureWebhooks(test.database)
    const allowHosts = ['127.0.0.1']
    const send = { allowHosts, version: '1' }
    const now = () => new Date()
    return { database: test.database, schema: sampleSchema(), now, allowHosts, send }
  }
  const renames: object[] = []
  const quire = async (...words: readonly string[]) => {
    const said = { out: '', error: '' }
    const open = () => {
      opened += 1
      return Promise.resolve({
        access: () => Promise.resolve(access),
        locales: () => Promise.resolve(locales),
        users: () => Promise.resolve(users()),
        administrators: () =>
          openAdministrators({
            db: test.database,
            actions: access.actions,
            passwords: openPasswords(),
            secret: 'of the test',
            publicUrl: 'https://cms.example.org',
            secondFactor: 'off',
            oidc: null,
            now: () => new Date(),
          }),
        publicUrl: 'https://cms.example.org',
        api: async () => ({
          schema: describedSchema(),
          locales: await locales.current(),
          defaultLimit: 25,
          maxLimit: 100,
          serverUrl: 'http://127.0.0.1:1337',
          refresh: false,
          registerFields: [],
        }),
        content: () => Promise.reject(new Error('no command here needs it')),
        media: () => Promise.reject(new Error('no command here needs it')),
        webhooks: () => openWebhookParts(),
        planSchema: () => Promise.reject(new Error('no command here needs it')),
        compactSchema: () => Promise.reject(new Error('no command here needs it')),
        renameLocale: (
          { from, to, name }: LocaleRename,
          { isPlan }: { readonly isPlan: boolean },
        ) => {
          renames.push({ from, to, name, isPlan })
          return Promise.resolve({ from, to, rows: to === 'da' ? {} : { articles: 12 } })
        },
        restartLog: () => restartLog(test.database),
        openImport: () => Promise.reject(new Error('no command here writes content')),
        close: () => {
          opened -= 1
          return Promise.resolve()
        },
      })
    }
    const status = await runCli(
      words,
      { ...UNOPENED, openContext: open },
      {
        out: (text) => void (said.out += text),
        error: (text) => void (said.error += text),
      },
    )
    expect(opened, 'left open').to.equal(0)
    return { status, ...said }
  }

  it('prints control characters of names as escapes', async () => {
    const name = 'a\u001b]0;title\u0007\r\u009b2J'
    const { status, error } = await quire('user', 'role', name, 'editor')
    expect(status).to.equal(1)
    expect(error).to.include(String.raw`a\u001b]0;title\u0007\u000d\u009b2J`)
    const made = await quire('user', 'create', name, 'control@quire.test', '--json')
    expect(made.status, made.error).to.equal(0)
    expect(made.out).not.to.match(/[^\P{Cc}\n\t]/u)
    expect(JSON.parse(made.out).username).to.equal(name)
  })

  it('manages locales', async () => {
    expect(await quire('locale', 'add', 'fr')).to.include({ status: 0, out: 'Added French (fr).' })
    expect((await quire('locale', 'add', 'pt-BR', '--name', 'Brasil', '--default')).out).to.equal(
      'Added Brasil, now the default.',
    )
    expect((await quire('locale', 'list')).out).to.equal(
      [
        'CODE   NAME',
        'en     English (en)',
        'fr     French (fr)',
        'pt-BR  Brasil        default',
      ].join('\n'),
    )
    expect((await quire('locale', 'default', 'en')).out).to.equal(
      'English (en) is now the default.',
    )
    expect((await quire('locale', 'remove', 'fr')).out).to.match(/^Removed French \(fr\)\. .*kept/)
    const json = JSON.parse((await quire('locale', 'list', '--json')).out) as { code: string }[]
    expect(json.map(({ code }) => code)).to.deep.equal(['en', 'pt-BR'])
  })

  it('renames a locale, or shows the plan', async () => {
    const plan = await quire('locale', 'rename', 'en', 'en-GB', '--dry-run')
    expect(plan.out).to.equal(
      'A rename of en to en-GB changes the list of locales and these rows:\nCOLLECTION  ROWS\narticles    12',
    )
    const named = await quire('locale', 'rename', 'en', 'en-GB', '--name', 'English', '--json')
    expect(JSON.parse(named.out)).to.deep.equal({
      from: 'en',
      to: 'en-GB',
      rows: { articles: 12 },
    })
    expect((await quire('locale', 'rename', 'nl', 'da')).out).to.equal(
      'Renamed nl to da in the list of locales.',
    )
    expect(renames).to.deep.equal([
      { from: 'en', to: 'en-GB', name: null, isPlan: true },
      { from: 'en', to: 'en-GB', name: 'English', isPlan: false },
      { from: 'nl', to: 'da', name: null, isPlan: false },
    ])
    expect((await quire('locale', 'rename', 'en')).status).to.equal(2)
  })

  it('describes types that a role reads under a rule', async () => {
    const rule = { action: FIND, where: { createdBy: '$user' } }
    await access.roles.grantRules('authenticated', [rule])
    try {
      const { out } = await quire('client', 'ts', '--role', 'authenticated')
      expect(/interface Article \{.*?fields: \{(.*?)\}/s.exec(out)?.[1]).to.include('name: string')
      expect(out).to.not.match(/interface Tag /)
      const { paths } = JSON.parse((await quire('openapi', '--role', 'authenticated')).out) as {
        paths: object
      }
      expect(Object.keys(paths)).to.include('/api/articles').and.not.include('/api/tags')
    } finally {
      await access.roles.revoke('authenticated', [FIND])
    }
    expect((await quire('client', 'ts', '--role', 'authenticated')).out).to.not.match(/Article \{/)
  })

  it('prints the API description and generates client code', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quire-cli-'))
    try {
      const all = JSON.parse((await quire('openapi')).out) as { paths: object }
      expect(Object.keys(all.paths)).to.include.members(['/api/articles', '/api/tags'])
      await access.roles.grant('public', [FIND])
      const file = path.join(folder, 'openapi.json')
      const { out } = await quire('openapi', '--role', 'public', '--out', file)
      expect(out).to.match(/^Wrote .*openapi\.json: \d+ paths\.$/)
      const { paths } = JSON.parse(await readFile(file, 'utf8')) as { paths: object }
      expect(Object.keys(paths)).to.include('/api/articles').and.not.include('/api/tags')
      const types = path.join(folder, 'content.ts')
      await quire('client', 'ts', '--role', 'public', '--out', types)
      expect(await readFile(types, 'utf8'))
        .to.match(/interface Article /)
        .and.not.match(/Tag\b/)
      expect((await quire('client', 'ts')).out).to.match(/interface Tag /)
      expect((await quire('openapi', '--role', 'nobody')).status).to.equal(1)
      expect((await quire('client', 'cobol')).status).to.equal(2)
      const kotlin = await quire('client', 'kotlin', '--package', 'com.example.content')
      expect(kotlin.out).to.match(/^package com\.example\.content$/m)
      expect((await quire('client', 'kotlin', '--package', 'a b')).status).to.equal(2)
      expect((await quire('client', 'swift', '--package', 'a')).status).to.equal(2)
    } finally {
      await access.roles.revoke('public', [FIND])
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('manages webhooks', async () => {
    const receiver = await startReceiver()
    const event = ['--event', 'entry.publish', '--event', 'media.create']
    const header = ['--header', 'Authorization: Bearer a:b', '--header', 'X-Site:main']
    const made = await quire(
      'webhook',
      'create',
      'site',
      receiver.url,
      ...event,
      ...header,
      '--ordered',
    )
    expect(made.status, made.error).to.equal(0)
    expect(made.out).to.match(/^Created site\. Its secret is shown only now:\nwhsec_\S+$/)
    expect((await quire('webhook', 'list')).out).to.match(
      /site +http\S+ +entry.publish media.create +all +on$/m,
    )
    expect((await quire('webhook', 'test', 'site')).out).to.match(/^Delivered: status 204, \d+ ms$/)
    expect(receiver.received[0]?.headers).to.include({
      authorization: 'Bearer a:b',
      'x-site': 'main',
    })
    const faulty = await quire(
      'webhook',
      'create',
      'b',
      receiver.url,
      ...event,
      '--header',
      'secret',
    )
    expect(faulty).to.include({ status: 2 })
    expect(faulty.error)
      .to.match(/--header 1: expected "name: value"/)
      .and.not.match(/secret/)
    expect(receiver.received.length).to.equal(1)
    receiver.answer(() => ({ status: 500 }))
    expect(await quire('webhook', 'test', 'site')).to.include({ status: 1 })
    receiver.close()
    expect((await quire('webhook', 'rotate', 'site')).out).to.match(/two secrets now.*\nwhsec_\S+$/)
    expect((await quire('webhook', 'rotated', 'site')).out).to.equal(
      'site signs with one secret now.',
    )
    expect((await quire('webhook', 'disable', 'site')).status).to.equal(0)
    expect((await quire('webhook', 'list')).out).to.match(/off \(administrator\)$/m)
    expect((await quire('webhook', 'enable', 'site')).out).to.match(
      /^site continues after commit \d+\.$/,
    )
    expect((await quire('webhook', 'deliveries', 'site')).out).to.match(/^COMMIT +EVENT/)
    expect((await quire('webhook', 'deliveries', 'site', '--limit', '0')).status).to.equal(1)
    expect((await quire('webhook', 'replay', 'site')).error).to.match(/--from is missing/)
    expect((await quire('webhook', 'replay', 'site', '--from', '1e3')).status).to.equal(2)
    expect((await quire('webhook', 'replay', 'site', '--from', '999999')).status).to.equal(1)
    expect((await quire('webhook', 'create', 'site', 'nowhere', ...event)).status).to.equal(1)
    expect((await quire('webhook', 'remove', 'site')).out).to.equal('Removed site.')
    expect((await quire('webhook', 'remove', 'site')).error).to.equal('There is no webhook site')
  })

  it('gives the commit log a new identity', async () => {
    const before = await restartLog(test.database)
    const restarted = JSON.parse((await quire('log', 'restart', '--json')).out) as typeof before
    expect(restarted.seq).to.equal(before.seq)
    expect(restarted.log).not.to.equal(before.log)
    expect((await readHead(test.database)).log).to.equal(restarted.log)
    expect((await quire('log', 'restart')).out).to.match(
      /^The commit log has a new identity and continues after \d+\. Apps that sync fetch /,
    )
    expect((await quire('log', 'restart', 'now')).status).to.equal(2)
  })

  it('manages API tokens', async () => {
    const made = await quire('token', 'create', 'app', '--type', 'read-only', '--days', '30')
    const accessKey = made.out.split('\n').at(-1)
    expect((await access.principalOf(`Bearer ${accessKey}`)).kind).to.equal('apiToken')
    await access.close()
    const permissions = ['--permission', FIND, '--permission', 'api::tag.tag.find']
    const narrow = ['token', 'create', 'narrow', '--type', 'custom', '--json']
    narrow.push('--read-preference', 'nearest')
    const custom = await quire(...narrow, ...permissions)
    expect(JSON.parse(custom.out)).to.deep.include({
      permissions: [FIND, 'api::tag.tag.find'],
      readPreference: 'nearest',
    })
    const { out } = await quire('token', 'list')
    expect(out).to.match(/^ID +NAME +TYPE +READS FROM +EXPIRES +LAST USED\n\d+ +app +read-only +20/)
    expect(out).to.match(/narrow +custom \(2 actions\) +nearest +never +never$/)
    expect((await quire('token', 'revoke', 'app')).out).to.equal('Revoked app.')
    const { id } = JSON.parse(custom.out) as { id: number }
    expect((await quire('token', 'revoke', String(id))).out).to.equal('Revoked narrow.')
    expect(await access.apiTokens.list()).to.deep.equal([])
  })

  it('manages roles', async () => {
    expect((await quire('role', 'list')).out).to.match(/^TYPE .*\nauthenticated .*\npublic /)
    const granted = await quire('role', 'grant', 'public', FIND, 'api::tag.tag.find')
    expect(granted.out).to.match(/^Public \(public\)\nACTION\napi::article\.article\.find\n/)
    const revoked = await quire('role', 'revoke', 'public', FIND, '--json')
    expect(JSON.parse(revoked.out).permissions)
      .to.include('api::tag.tag.find')
      .and.not.include(FIND)
  })

  it('creates and removes roles', async () => {
    const words = ['role', 'create', 'editor', '--name', 'Editor', '--permission', FIND]
    expect((await quire(...words)).out).to.match(/^Editor \(editor\)\nACTION\napi::article/)
    expect((await quire('role', 'create', 'author')).out).to.match(/^author \(author\)\n/)
    expect((await quire('role', 'remove', 'author')).out).to.equal('Removed the role author.')
    expect((await quire('role', 'remove', 'public')).error).to.match(/cannot be removed$/)
    expect((await quire('role', 'show', 'editer')).error).to.equal(
      'There is no role editer; did you mean editor?',
    )
  })

  it('creates users and assigns roles', async () => {
    const made = await quire('user', 'create', 'ada', 'Ada@quire.test', '--json')
    expect(made.status, made.error).to.equal(0)
    const user = JSON.parse(made.out) as { password: string }
    expect(user).to.include({ username: 'ada', email: 'ada@quire.test', role: 'authenticated' })
    expect(user.password).to.have.lengthOf(24)
    const own = ['--role', 'editor', '--password', 'a long password']
    const other = await quire('user', 'create', 'bob', 'bob@quire.test', ...own)
    expect(other.out).to.equal('Created the user bob with the role editor.')
    expect((await quire('user', 'create', 'ada', 'other@quire.test')).error).to.match(/unique/)
    expect((await quire('user', 'create', 'eve', 'no address')).error).to.match(/email/)
    for (const name of ['ada', 'ADA@quire.test']) {
      const { out } = await quire('user', 'role', name, 'editor')
      expect(out).to.equal('ada has the role editor now.')
    }
    expect((await quire('user', 'role', 'nobody', 'editor')).error).to.equal(
      'There is no user nobody',
    )
    expect((await quire('user', 'role', 'ada', 'editr')).error).to.match(/did you mean editor/)
  })

  it('warns of a custom token without permissions on standard error', async () => {
    const { status, out, error } = await quire('token', 'create', 'idle', '--type', 'custom')
    expect([status, out.split('\n')[0]]).to.deep.equal([
      0,
      'Created the custom token idle. Its key is shown only now:',
    ])
    expect(error).to.match(/^Warning: a custom token without permissions has no access/)
    const json = await quire('token', 'create', 'idle2', '--type', 'custom', '--json')
    expect(JSON.parse(json.out)).to.include({ name: 'idle2' })
    await quire('token', 'revoke', 'idle')
    await quire('token', 'revoke', 'idle2')
  })

  it('marks permissions of deleted content-types as without effect', async () => {
    const fewer = await openAccess(test.database, compileActions(sampleSchema([])), {
      rootApiToken: null,
    })
    const all = access
    access = fewer
    const { out } = await quire('role', 'show', 'public')
    access = all
    expect(out).to.match(/api::tag\.tag\.find +without effect/)
  })

  it('reports refused commands with status 1', async () => {
    const rows: readonly [readonly string[], RegExp][] = [
      [['locale', 'add', 'FR'], /^code must be written fr$/],
      [['locale', 'remove', 'en'], /^The default locale en cannot be removed$/],
      [
        ['token', 'create', 'x', '--type', 'read-only', '--read-preference', 'fastest'],
        /^readPreference must be one of/,
      ],
      [['token', 'revoke', 'nobody'], /^There is no API token nobody$/],
      [['role', 'show', 'nobody'], /^There is no role nobody$/],
      [['role', 'grant', 'public', 'nope'], /^there is no action nope$/],
      [
        ['role', 'grant', 'public', 'api::artcle.article.find'],
        /^there is no action api::artcle\.article\.find; did you mean api::article\.article\.find\?$/,
      ],
      [['role', 'grant', 'public', 'no', 'nay'], /^2 errors occurred\n {2}- .* no\n {2}- .* nay$/],
    ]
    for (const [words, message] of rows) {
      const { status, out, error } = await quire(...words)
      expect([status, out], words.join(' ')).to.deep.equal([1, ''])
      expect(error, words.join(' ')).to.match(message)
    }
  })

  it('prints configuration and schema errors and rethrows bugs', async () => {
    const said: string[] = []
    const run = (error: Error) =>
      runCli(
        ['locale', 'list'],
        { ...UNOPENED, openContext: () => Promise.reject(error) },
        {
          out: () => expect.fail('printed'),
          error: (text) => void said.push(text),
        },
      )
    expect(await run(new ConfigError(['PORT must be a number']))).to.equal(1)
    expect(await run(new SchemaError(['article.json: no kind']))).to.equal(1)
    expect(said.join('\n')).to.match(/PORT must be a number\n.*\n.*article\.json: no kind/)
    let thrown: unknown
    await run(new TypeError('a bug')).catch((error: unknown) => (thrown = error))
    expect(thrown).to.be.instanceOf(TypeError)
  })

  it('prints usage with status 2 before it opens any resource', async () => {
    const rows: readonly [readonly string[], RegExp][] = [
      [['nope'], /^Unknown command nope; `quire help`/],
      [['locale', 'nope'], /^Unknown command locale nope;/],
      [['rol', 'grant'], /^Unknown command rol grant; did you mean role grant\?; `quire help`/],
      [['locale'], /^Unknown command locale; its commands are:\n {2}quire locale list/],
      [['locale', 'add'], /^Usage: quire locale add <code>/],
      [['locale', 'list', 'more'], /^Usage: quire locale list$/],
      [['locale', 'list', '--nope'], /^Unknown option '--nope'/],
      [['role', 'grant', 'public'], /^Usage: quire role grant/],
    ]
    for (const [words, message] of rows) {
      const said = await runCli(words, UNOPENED, {
        out: () => expect.fail('printed'),
        error: (text) => expect(text).to.match(message),
      })
      expect(said, words.join(' ')).to.equal(2)
    }
    for (const words of [[], ['help'], ['--help'], ['help', 'token'], ['token', '--help']]) {
      const { status, out } = await quire(...words)
      expect(status).to.equal(0)
      expect(out).to.include('quire token create <name> --type')
    }
    for (const words of [
      ['token', 'create', '--help'],
      ['token', 'create', '-h'],
      ['help', 'token', 'create'],
    ]) {
      const { status, out } = await quire(...words)
      expect(status).to.equal(0)
      expect(out).to.match(/^quire token create .*\n\n.*key, once\n\nOptions: --type, .*--json/)
      expect(out).to.not.include('locale')
    }
    for (const word of ['--version', '-v', 'version']) {
      expect((await quire(word)).out).to.match(/^\d+\.\d+\.\d+/)
    }
    expect((await quire('token', 'create', 'x')).error).to.match(/^--type is missing/)
    expect((await quire('token', 'create', 'x', '--type', 'readonly')).error).to.match(
      /^--type must be one of .*; did you mean read-only\?$/,
    )
    expect(
      (await quire('token', 'create', 'x', '--type', 'custom', '--days', '1.5')).status,
    ).to.equal(2)
  })

  it('manages administrators and prints links to choose a password', async () => {
    const added = await quire('admin', 'add', 'Ada', 'Ada@example.org')
    expect(added.status, added.error).to.equal(0)
    expect(added.out).to.match(
      /^Added Ada\. .*\nhttps:\/\/cms\.example\.org\/studio\/choose-password#token=[\w-]{43}$/,
    )
    const bob = await quire('admin', 'add', 'Bob', 'bob@example.org', '--role', 'editor')
    expect(bob.status, bob.error).to.equal(0)
    const { out } = await quire('admin', 'list')
    expect(out).to.match(/Ada +ada@example.org +administrator\nBob +bob@example.org +editor/)
    expect((await quire('admin', 'reset', 'BOB@example.org')).out).to.include('#token=')
    const unset = await quire('admin', 'reset-totp', 'bob@example.org')
    expect(unset.status).to.equal(1)
    expect(unset.error).to.equal('No codes of an app are required')
    const { id } = JSON.parse((await quire('admin', 'list', '--json')).out)[1]
    const at = new Date()
    await totpsOf(test.database).insertOne({
      _id: id,
      secret: '',
      createdAt: at,
      confirmedAt: at,
      lastStep: 0,
      recoveryCodes: [],
      attempts: 0,
      attemptsEndAt: at,
    })
    const lost = await quire('admin', 'reset-totp', 'bob@example.org')
    expect(lost.out, lost.error).to.equal('Bob signs in without codes of an app.')
    expect(await totpsOf(test.database).countDocuments()).to.equal(0)
    expect((await quire('admin', 'remove', 'bob@example.org')).status).to.equal(0)
    const last = await quire('admin', 'remove', 'ada@example.org')
    expect(last.status).to.equal(1)
    expect(last.error).to.equal('The last administrator cannot be removed')
    expect((await quire('admin', 'reset', 'bob@example.org')).status).to.equal(1)
    expect((await quire('admin', 'add', 'Eve', 'eve@example.org', '--role', 'no')).status).to.equal(
      1,
    )
  })
})
