import { expect } from 'chai'
import { bindRules } from '../../../src/people/rules/bound-rules.ts'
import {
  type CompiledRule,
  compileRule,
  takesRule,
} from '../../../src/people/rules/compile-rule.ts'
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
    subject: { type: 'string', required: true },
    locked: { type: 'string', writable: false },
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
    readers: { type: 'relation', relation: 'manyToMany', target: USER },
    sale: { type: 'relation', relation: 'manyToOne', target: 'api::sale.sale' },
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
  typeFile('sale', { name: { type: 'string' } }, { adopt: { collection: 'sales', paths: {} } }),
  typeFile('page', { title: { type: 'string' } }, { pluginOptions: { i18n: { localized: true } } }),
  componentFile('shared.part', {
    text: { type: 'string' },
    team: { type: 'relation', relation: 'manyToOne', target: 'api::team.team' },
  }),
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
    ['an empty condition', { action: FIND, where: {} }],
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

describe('takesRule', () => {
  for (const verb of 'find findOne readDrafts sync create update delete publish'.split(' ')) {
    it(`permits rules of ${verb}`, () => {
      expect(takesRule(schema, `api::note.note.${verb}`)).to.equal(true)
    })
  }

  for (const action of [
    'api::note.note.none',
    'api::note.note.',
    'api::note.note',
    'api::gone.gone.find',
    `${USER}.find`,
  ]) {
    it(`permits no rule of ${action}`, () => {
      expect(takesRule(schema, action)).to.equal(false)
    })
  }
})

describe('the faults of a rule', () => {
  const OTHERS = 'conditions do not lead to types that another service writes'
  const DEEP = 'conditions lead through at most one relation'

  for (const [rule, path, code, problem] of [
    [{ action: FIND, where: { $or: [{ team: { parent: 'a' } }] } }, 'where', 'where', DEEP],
    [{ action: FIND, where: { $not: { team: { parent: 'a' } } } }, 'where', 'where', DEEP],
    [{ action: FIND, where: { rank: 1, team: { parent: { name: 'a' } } } }, 'where', 'where', DEEP],
    [{ action: FIND, where: { part: { team: { parent: 'a' } } } }, 'where', 'where', DEEP],
    [{ action: FIND, where: { sale: { name: 'a' } } }, 'where', 'where', OTHERS],
    [
      { action: 'api::page.page.find', where: { localizations: { title: 'a' } } },
      'where',
      'where',
      'localizations cannot be compared',
    ],
    [
      { action: 'api::sale.sale.sync', where: { name: 'a' } },
      'where',
      'where',
      'sync takes no conditions on a type that another service writes, because its changes do not carry the values before',
    ],
    [
      { action: SYNC, where: { opensAt: { $lte: '$now' } } },
      'where',
      'where',
      'sync takes no $now, because no change would take back a row',
    ],
    [
      { action: FIND, fields: ['title', 'none'] },
      'fields.1',
      'fields',
      'api::note.note has no attribute none',
    ],
    [
      { action: 'api::note.note.publish', fields: ['title'] },
      'fields',
      'fields',
      'api::note.note.publish has no fields',
    ],
    [
      { action: 'api::note.note.publish', set: { title: 'a' } },
      'set',
      'set',
      'api::note.note.publish sets no values',
    ],
    [
      { action: UPDATE, set: { none: 'a' } },
      'set',
      'set',
      'api::note.note has no writable attribute none',
    ],
    [
      { action: UPDATE, set: { title: 'a', locked: 'a' } },
      'set',
      'set',
      'api::note.note has no writable attribute locked',
    ],
    [
      { action: UPDATE, set: { title: 'a', createdAt: '$now' } },
      'set',
      'set',
      'api::note.note has no writable attribute createdAt',
    ],
  ] as const) {
    it(`explain: ${problem} (${JSON.stringify(rule)})`, () => {
      expect(compileRule(schema, rule, ['rules', '0'])).to.deep.equal([
        {
          path: ['rules', '0', ...path.split('.')],
          name: 'ValidationError',
          message: problem,
          value: valueAt(rule, path),
          reason: { code: `rule.${code}`, params: { problem } },
        },
      ])
    })
  }

  it('name an action without rules', () => {
    const action = 'api::gone.gone.find'
    expect(compileRule(schema, { action }, ['at'])).to.deep.equal([
      {
        path: ['at', 'action'],
        name: 'ValidationError',
        message: `${action} takes no rule`,
        value: action,
        reason: { code: 'rule.action', params: { action } },
      },
    ])
  })

  it('name the action of an unknown operand', () => {
    const rule = { action: FIND, where: { title: '$me' } }
    const problem = '$me is not an operand; operands are $user, $user.<path> and $now'
    expect(compileRule(schema, rule, ['at'])).to.deep.equal([
      {
        path: ['at'],
        name: 'ValidationError',
        message: `${FIND}: ${problem}`,
        value: rule,
        reason: { code: 'rule.operand', params: { problem } },
      },
    ])
  })

  it('are reported together', () => {
    const rule = { action: FIND, where: { none: 1 }, fields: ['none'], set: { none: 1 } }
    expect(faultsOf(rule)).to.deep.equal([
      'rules.0.where rule.where',
      'rules.0.fields.0 rule.fields',
      'rules.0.set rule.set',
    ])
  })
})

describe('a compiled rule', () => {
  const compiled = (rule: StoredRule): CompiledRule => {
    const result = compileRule(schema, rule, [])
    if (!('bindWhere' in result)) throw new Error(result.map(({ message }) => message).join())
    return result
  }
  const values = {
    user: 'u'.repeat(24),
    now: new Date('2026-01-02T03:04:00.000Z'),
    paths: new Map([['$user.username', ['ann', 'ben']]]),
  }

  it('has its action, its content-type and its operands', () => {
    const rule = { action: FIND, where: { owner: '$user' } }
    const { action, stored, plan, operands } = compiled(rule)
    expect([action, stored, plan.uid]).to.deep.equal([FIND, rule, 'api::note.note'])
    expect(operands).to.deep.equal({ user: true, now: false, paths: [] })
    expect(compiled({ action: UPDATE, set: { opensAt: '$now' } }).operands.now).to.equal(true)
  })

  it('has the same digest for the same rule only', () => {
    const one = compiled({ action: FIND, where: { title: 'a', rank: 1 } })
    expect(compiled({ action: FIND, where: { rank: 1, title: 'a' } }).digest).to.equal(one.digest)
    expect(one.digest).to.match(/^[\w-]{43}$/)
    for (const other of [
      { action: FIND, where: { title: 'a', rank: 2 } },
      { action: FIND, where: { title: 'a', rank: 1 }, fields: ['title'] },
      { action: UPDATE, where: { title: 'a', rank: 1 } },
    ]) {
      expect(compiled(other).digest).to.not.equal(one.digest)
    }
  })

  for (const [rule, types] of [
    [{ action: FIND }, []],
    [{ action: FIND, where: { title: 'a' } }, []],
    [{ action: FIND, where: { team: { name: 'a' } } }, ['api::team.team']],
    [{ action: FIND, where: { owner: '$user' } }, [USER]],
    [{ action: FIND, where: { title: '$user.username' } }, [USER]],
    [
      { action: FIND, where: { title: '$user.role.type' } },
      [USER, 'plugin::users-permissions.role'],
    ],
  ] as const) {
    it(`refers to ${types.join(' and ') || 'no other type'}: ${JSON.stringify(rule)}`, () => {
      expect([...compiled(rule).types]).to.have.members([...types])
    })
  }

  it('has a condition with the values of operands', () => {
    expect(compiled({ action: FIND }).bindWhere(values)).to.equal(null)
    const rule = compiled({ action: FIND, where: { title: { $in: ['$user.username'] } } })
    expect(rule.bindWhere(values)).to.deep.include({ operator: 'in', operand: ['ann', 'ben'] })
  })

  it('reads private attributes', () => {
    const where = compiled({ action: FIND, where: { secret: 'a' } }).bindWhere(values)
    expect(where).to.deep.include({ kind: 'compare', operand: 'a' })
  })

  it('stamps the values of operands', () => {
    const set = {
      title: '$user.username',
      contact: '$user.email',
      secret: '$$user',
      owner: '$user',
      readers: '$user',
      opensAt: '$now',
      rank: 3,
    }
    expect(compiled({ action: UPDATE, set }).bindSet(values)).to.deep.equal({
      title: 'ann',
      contact: null,
      secret: '$user',
      owner: values.user,
      readers: [values.user],
      opensAt: '2026-01-02T03:04:00.000Z',
      rank: 3,
    })
    expect(compiled({ action: UPDATE }).bindSet(values)).to.deep.equal({})
  })
})

function valueAt(rule: StoredRule, path: string): unknown {
  return path.split('.').reduce((value, name) => Reflect.get(Object(value), name), rule as unknown)
}

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
