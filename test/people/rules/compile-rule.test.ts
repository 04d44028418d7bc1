import { expect } from 'chai'
import { bindRules } from '../../../src/people/rules/bound-rules.ts'
import { compileRule } from '../../../src/people/rules/compile-rule.ts'
import type { StoredRule } from '../../../src/people/rules/stored-rule.ts'
import { compile, componentFile, typeFile } from '../../schema/define.ts'

const USER = 'plugin::users-permissions.user'

const schema = compile(
  typeFile('team', {
    name: { type: 'string' },
    parent: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
    members: { type: 'relation', relation: 'manyToMany', target: USER },
  }),
  typeFile('note', {
    title: { type: 'string' },
    secret: { type: 'string', private: true },
    contact: { type: 'email' },
    opensAt: { type: 'datetime' },
    open: { type: 'boolean' },
    rank: { type: 'integer' },
    owner: { type: 'relation', relation: 'manyToOne', target: USER },
    team: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
    extra: { type: 'json' },
    price: { type: 'decimal' },
    part: { type: 'component', component: 'shared.part' },
    comments: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::comment.comment',
      mappedBy: 'note',
    },
  }),
  typeFile('comment', {
    note: {
      type: 'relation',
      relation: 'manyToOne',
      target: 'api::note.note',
      inversedBy: 'comments',
    },
  }),
  componentFile('shared.part', { text: { type: 'string' } }),
)

const UPDATE = 'api::note.note.update'
const FIND = 'api::note.note.find'
const SYNC = 'api::note.note.sync'
const WHERE = 'rules.0.where rule.where'
const OWN = { $or: [{ owner: '$user' }, { $not: { createdBy: '$user' } }] }

function faultsOf(rule: StoredRule): readonly string[] {
  const compiled = compileRule(schema, rule, ['rules', '0'])
  return 'bindWhere' in compiled
    ? []
    : compiled.map(({ path, reason }) => `${path.join('.')} ${reason.code}`)
}

describe('compileRule', () => {
  const accepted: readonly (readonly [string, StoredRule])[] = [
    ['the owner', { action: UPDATE, where: { owner: '$user' } }],
    ['the creator', { action: UPDATE, where: { createdBy: '$user' } }],
    ['a private attribute', { action: FIND, where: { secret: 'a' } }],
    ['constants of each type', { action: FIND, where: { open: true, rank: { $gt: 2 } } }],
    ['the current minute', { action: FIND, where: { opensAt: { $lte: '$now' } } }],
    ['groups', { action: FIND, where: { $or: [{ open: true }, { $not: { owner: '$user' } }] } }],
    ['an attribute behind one relation', { action: FIND, where: { team: { name: 'a' } } }],
    ['the role of the user', { action: FIND, where: { title: '$user.role.type' } }],
    ['a list of fields', { action: FIND, fields: ['title'] }],
    ['values to set', { action: UPDATE, set: { owner: '$user', open: false, opensAt: '$now' } }],
    ['the address of the user', { action: UPDATE, set: { contact: '$user.email' } }],
    ['own attributes in sync', { action: SYNC, where: { open: true, rank: { $gt: 2 } } }],
    ['private attributes in sync', { action: SYNC, where: { secret: { $contains: 'a' } } }],
    ['the owner and the creator in sync', { action: SYNC, where: OWN }],
    ['entries of teams in sync', { action: SYNC, where: { team: { $in: ['$user.role'] } } }],
    ['fields in sync', { action: SYNC, fields: ['title'] }],
    ['a text that begins with a dollar', { action: FIND, where: { title: '$$5' } }],
  ]
  for (const [what, rule] of accepted) {
    it(`accepts ${what}`, () => {
      expect(faultsOf(rule)).to.deep.equal([])
    })
  }

  const refused: readonly (readonly [string, StoredRule, string])[] = [
    ['an unknown attribute', { action: FIND, where: { none: 'a' } }, 'rules.0.where rule.where'],
    [
      'an unknown operator',
      { action: FIND, where: { title: { $is: 1 } } },
      'rules.0.where rule.where',
    ],
    ['a value of another type', { action: FIND, where: { rank: 'a' } }, 'rules.0.where rule.where'],
    ['an unknown operand', { action: FIND, where: { owner: '$me' } }, 'rules.0 rule.operand'],
    ['an unknown path', { action: FIND, where: { title: '$user.none' } }, 'rules.0 rule.operand'],
    ['a password', { action: FIND, where: { title: '$user.password' } }, 'rules.0 rule.operand'],
    [
      'two relations',
      { action: FIND, where: { team: { parent: 'a' } } },
      'rules.0.where rule.where',
    ],
    ['an unknown field', { action: FIND, fields: ['none'] }, 'rules.0.fields.0 rule.fields'],
    [
      'fields of a deletion',
      { action: 'api::note.note.delete', fields: ['title'] },
      'rules.0.fields rule.fields',
    ],
    ['set in a read', { action: FIND, set: { title: 'a' } }, 'rules.0.set rule.set'],
    ['an invalid value to set', { action: UPDATE, set: { rank: 'a' } }, 'rules.0.set rule.set'],
    ['now in sync', { action: SYNC, where: { opensAt: { $lte: '$now' } } }, WHERE],
    ['a text that ignores case in sync', { action: SYNC, where: { title: { $eqi: 'a' } } }, WHERE],
    ['JSON in sync', { action: SYNC, where: { extra: 'a' } }, WHERE],
    ['a decimal in sync', { action: SYNC, where: { price: { $gt: '1' } } }, WHERE],
    [
      'an attribute behind a relation in sync',
      { action: SYNC, where: { team: { name: 'a' } } },
      WHERE,
    ],
    ['other documents in sync', { action: SYNC, where: { owner: { $ne: '$user' } } }, WHERE],
    ['a missing relation in sync', { action: SYNC, where: { owner: { $null: true } } }, WHERE],
    ['an inverse side in sync', { action: SYNC, where: { comments: '$user' } }, WHERE],
    ['a component in sync', { action: SYNC, where: { part: { text: 'a' } } }, WHERE],
    ['set in sync', { action: SYNC, set: { title: 'a' } }, 'rules.0.set rule.set'],
    ['a rule of a plugin', { action: `${USER}.find` }, 'rules.0.action rule.action'],
  ]
  for (const [what, rule, fault] of refused) {
    it(`refuses ${what}`, () => {
      expect(faultsOf(rule)).to.deep.equal([fault])
    })
  }
})

describe('bindRules', () => {
  const held = (rule: StoredRule) => {
    const compiled = compileRule(schema, rule, [])
    if (!('bindWhere' in compiled)) throw new Error(compiled.map(({ message }) => message).join())
    return { source: 'role tester', rule: compiled }
  }
  const values = { user: 'u'.repeat(24), now: new Date(0), paths: new Map() }

  it('leaves out rules that compare with a user if there is none', () => {
    const rules = [held({ action: FIND, where: { owner: '$user' } })]
    expect(bindRules(rules, { ...values, user: null }).rulesFor(FIND)).to.deep.equal([])
    expect(bindRules(rules, values).rulesFor(FIND)).to.have.length(1)
  })

  it('leaves out rules with a path that was not read', () => {
    const rules = [held({ action: FIND, where: { title: '$user.username' } })]
    expect(bindRules(rules, values).rulesFor(FIND)).to.deep.equal([])
  })

  it('puts all values of a path in place of it', () => {
    const rules = [held({ action: FIND, where: { title: { $in: ['x', '$user.username'] } } })]
    const paths = new Map([['$user.username', ['a', 'b']]])
    const [bound] = bindRules(rules, { ...values, paths }).rulesFor(FIND)
    expect(bound?.where).to.include({ kind: 'compare', operator: 'in' })
    expect(bound?.where).to.have.deep.property('operand', ['x', 'a', 'b'])
  })

  it('keeps conjunctions within a list of alternatives', () => {
    const where = { $or: [[{ title: 'a' }, { rank: 1 }], { rank: 2 }] }
    const [bound] = bindRules([held({ action: FIND, where })], values).rulesFor(FIND)
    expect(bound?.where).to.include({ kind: 'any' }).with.property('of').of.length(2)
  })

  it('gives users different digests only where a rule compares with the user', () => {
    const other = { ...values, user: 'v'.repeat(24) }
    const own = [held({ action: FIND, where: { owner: '$user' } })]
    const open = [held({ action: FIND, where: { open: true } })]
    expect(bindRules(own, values).digest).not.to.equal(bindRules(own, other).digest)
    expect(bindRules(open, values).digest).to.equal(bindRules(open, other).digest)
    expect([...bindRules(open, values).personal]).to.deep.equal([])
    expect([...bindRules(own, values).personal]).to.deep.equal([FIND])
  })
})
