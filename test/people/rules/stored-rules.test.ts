import { expect } from 'chai'
import { ValidationError } from '../../../src/base/errors.ts'
import { type Access, assertStoredRules, openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import { rulesFor } from '../../../src/people/access/principal.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import type { Schema } from '../../../src/schema/plan.ts'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { define, typeFile } from '../../schema/define.ts'
import { openTestDatabase } from '../../support/test-database.ts'

const FIND = 'api::note.note.find'

function schemaOf(name: string): Schema {
  const definitions = define(
    typeFile('note', { [name]: { type: 'string' }, open: { type: 'boolean' } }),
  )
  const former = name === 'text' ? [] : ['text']
  const names = new Map([[name, { stored: 'text~1', former }]])
  return compileSchema(definitions, new Map([['api::note.note', names]]))
}

describe('stored rules', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  const open = (schema: Schema): Promise<Access> =>
    openAccess(test.database, compileActions(schema), { rootApiToken: null })

  beforeEach(async () => {
    test = await openTestDatabase('stored_rules')
  })
  afterEach(() => test.drop())

  it('grants nothing unconditionally', async () => {
    const access = await open(schemaOf('text'))
    await access.roles.update('public', { rules: [{ action: FIND, where: { open: true } }] })
    const anonymous = await access.principalOf(undefined)
    expect(anonymous.grants.has(FIND)).to.equal(false)
    expect(rulesFor(anonymous, FIND)).to.have.length(1)
    await access.roles.grant('public', [FIND])
    const permitted = await access.principalOf(undefined)
    expect(permitted.grants.has(FIND)).to.equal(true)
    expect(rulesFor(permitted, FIND)).to.deep.equal([])
  })

  it('follows renamed attributes', async () => {
    const rule = { action: FIND, where: { $not: { text: { $in: ['a'] } } }, fields: ['text'] }
    const access = await open(schemaOf('text'))
    await access.roles.update('public', { rules: [rule] })
    const renamed = await open(schemaOf('title'))
    const current = { action: FIND, where: { $not: { title: { $in: ['a'] } } }, fields: ['title'] }
    expect((await renamed.roles.get('public')).rules).to.deep.equal([current])
    expect(rulesFor(await renamed.principalOf(undefined), FIND)).to.have.length(1)
  })

  it('accepts former names of attributes', async () => {
    const access = await open(schemaOf('title'))
    await access.roles.update('public', { rules: [{ action: FIND, where: { text: 'a' } }] })
    const { rules } = await access.roles.get('public')
    expect(rules).to.deep.equal([{ action: FIND, where: { title: 'a' } }])
  })

  it('refuses rules that do not fit the content-type', async () => {
    const access = await open(schemaOf('text'))
    const refused = await access.roles
      .update('public', { rules: [{ action: FIND, where: { none: 'a' } }] })
      .catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(ValidationError)
    expect(refused).to.have.nested.property('faults[0].path').deep.equal(['rules', '0', 'where'])
  })

  it('stops the start for a rule that no longer fits, and names its role, action and path', async () => {
    const access = await open(schemaOf('text'))
    await access.roles.update('public', { rules: [{ action: FIND, where: { open: true } }] })
    const gone = compileSchema(define(typeFile('note', { text: { type: 'string' } })))
    const stopped = await assertStoredRules(test.database, compileActions(gone)).catch(
      (error: unknown) => error,
    )
    expect(stopped).to.be.instanceOf(SchemaError)
    expect(stopped).to.have.property('message').include(`role public, ${FIND}, where: `)
    const command = await open(gone)
    expect(rulesFor(await command.principalOf(undefined), FIND)).to.deep.equal([])
    await command.roles.grant('public', [FIND])
    expect((await command.roles.revoke('public', [FIND])).rules).to.equal(undefined)
    await assertStoredRules(test.database, compileActions(gone))
  })

  it('keeps the rules of a deleted content-type without effect', async () => {
    const access = await open(schemaOf('text'))
    await access.roles.update('public', { rules: [{ action: FIND, where: { open: true } }] })
    const without = await open(compileSchema(define()))
    expect(rulesFor(await without.principalOf(undefined), FIND)).to.deep.equal([])
    expect((await without.roles.get('public')).rules).to.have.length(1)
  })

  it('binds the rules of API tokens, which no user matches', async () => {
    const access = await open(schemaOf('text'))
    const rules = [
      { action: FIND, where: { open: true } },
      { action: FIND, where: { createdBy: '$user' } },
    ]
    const { accessKey } = await access.apiTokens.create({ name: 'a', type: 'custom', rules })
    const principal = await access.principalOf(`Bearer ${accessKey}`)
    expect(principal.grants.has(FIND)).to.equal(false)
    expect(rulesFor(principal, FIND)).to.have.length(1)
  })
})
