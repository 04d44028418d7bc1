import { expect } from 'chai'
import { USER_TYPE } from '../../../src/people/rules/operands.ts'
import {
  fromRuleRow,
  toRuleRow,
  typeOfAction,
  withCurrentNames,
} from '../../../src/people/rules/rename-rule.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { componentFile, define, typeFile } from '../../schema/define.ts'

const toOne = (target: string) => ({ type: 'relation', relation: 'manyToOne', target })
const renamed = (name: string) => ({ stored: `${name}~1`, former: [`old ${name}`] })

/** Each attribute has another stored name and a former name. */
const { contentTypes } = compileSchema(
  define(
    typeFile('note', {
      title: { type: 'string' },
      parent: toOne('api::note.note'),
      owner: toOne('api::member.member'),
      cover: { type: 'media', multiple: false },
      part: { type: 'component', component: 'shared.part' },
      zone: { type: 'dynamiczone', components: ['shared.part'] },
      data: { type: 'json' },
    }),
    typeFile('member', { nick: { type: 'string' }, team: toOne('api::team.team') }),
    typeFile('team', { name: { type: 'string' } }),
    componentFile('shared.part', { text: { type: 'string' } }),
  ),
  new Map(
    [
      ['api::note.note', ['title', 'parent', 'owner', 'cover', 'part', 'zone', 'data']],
      ['api::member.member', ['nick', 'team']],
      ['api::team.team', ['name']],
      ['shared.part', ['text']],
    ].map(([uid, names]) => [
      uid as string,
      new Map((names as readonly string[]).map((name) => [name, renamed(name)])),
    ]),
  ),
)
const member = contentTypes.get('api::member.member')
if (member === undefined) throw new Error('There is no member')
const schema = { contentTypes: new Map([...contentTypes, [USER_TYPE, member]]) }
const FIND = 'api::note.note.find'

const RULE = {
  action: FIND,
  where: {
    title: { $in: ['a', 'title', '$user.team.name', '$user.nick'] },
    $or: [
      { parent: { parent: { title: '$user' } } },
      { $not: [{ owner: { team: '$user.team' } }] },
    ],
    part: { text: 'text' },
    cover: { name: 'name' },
    zone: { text: 'a' },
    data: { title: ['title'] },
    none: { title: '$user.none.name' },
    createdBy: null,
  },
  fields: ['title', 'none', 'createdAt'],
  set: { title: '$user.nick', owner: '$now', none: 1 },
}

const STORED = {
  where: {
    'title~1': { $in: ['a', 'title', '$user.team~1.name~1', '$user.nick~1'] },
    $or: [
      { 'parent~1': { 'parent~1': { 'title~1': '$user' } } },
      { $not: [{ 'owner~1': { 'team~1': '$user.team~1' } }] },
    ],
    'part~1': { 'text~1': 'text' },
    'cover~1': { name: 'name' },
    'zone~1': { text: 'a' },
    'data~1': { title: ['title'] },
    none: { title: '$user.none.name' },
    createdBy: null,
  },
  fields: ['title~1', 'none', 'createdAt'],
  set: { 'title~1': '$user.nick~1', 'owner~1': '$now', none: 1 },
}

describe('the stored form of a rule', () => {
  it('has the stored names of attributes, and JSON texts', () => {
    const { where = '', set = '', ...others } = toRuleRow(schema, RULE)
    expect(JSON.parse(where)).to.deep.equal(STORED.where)
    expect(JSON.parse(set)).to.deep.equal(STORED.set)
    expect(others).to.deep.equal({ action: FIND, fields: STORED.fields })
  })

  it('is read with the current names', () => {
    expect(fromRuleRow(schema, toRuleRow(schema, RULE))).to.deep.equal(RULE)
  })

  it('does not apply to attributes that have the name of a removed one', () => {
    const row = {
      action: FIND,
      where: JSON.stringify({ title: 'a', 'parent~1': { title: '$user.nick' }, none: 1 }),
      fields: ['title', 'title~1', 'createdAt'],
    }
    expect(fromRuleRow(schema, row)).to.deep.equal({
      action: FIND,
      where: {
        'title (removed)': 'a',
        parent: { 'title (removed)': '$user.nick (removed)' },
        none: 1,
      },
      fields: ['title (removed)', 'title', 'createdAt'],
    })
  })

  for (const rule of [
    { action: FIND },
    { action: 'api::gone.gone.find' },
    { action: FIND, where: { title: 'a' } },
    { action: FIND, fields: ['title'] },
    { action: FIND, set: { title: 'a' } },
    {
      action: 'api::gone.gone.find',
      where: { title: 'a' },
      fields: ['title'],
      set: { title: 'a' },
    },
  ]) {
    it(`has the same members: ${Object.keys(rule).join(', ')} of ${rule.action}`, () => {
      const row = toRuleRow(schema, rule)
      expect(Object.keys(row)).to.deep.equal(Object.keys(rule))
      expect(fromRuleRow(schema, row)).to.deep.equal(rule)
    })
  }

  it('keeps the names of content-types that are not declared', () => {
    const rule = { action: 'api::gone.gone.find', fields: ['title'] }
    expect(toRuleRow(schema, rule)).to.deep.equal(rule)
  })

  it('keeps paths from the user without users', () => {
    const set = { title: '$user.nick' }
    const row = toRuleRow({ contentTypes }, { action: FIND, set })
    const builtIn = contentTypes.get(USER_TYPE)
    expect(builtIn?.members.has('nick')).to.not.equal(true)
    expect(row.set).to.equal(JSON.stringify({ 'title~1': '$user.nick' }))
  })
})

describe('former names of attributes in a rule', () => {
  it('are replaced by the current ones', () => {
    const given = {
      action: FIND,
      where: { $or: [{ 'old title': 'a' }, { 'old parent': { title: 'b' } }] },
      fields: ['old title', 'title'],
      set: { 'old title': '$user.old nick' },
    }
    expect(withCurrentNames(schema, given)).to.deep.equal({
      action: FIND,
      where: { $or: [{ title: 'a' }, { parent: { title: 'b' } }] },
      fields: ['title', 'title'],
      set: { title: '$user.nick' },
    })
  })
})

describe('typeOfAction', () => {
  it('is the action without its verb', () => {
    expect(typeOfAction(FIND)).to.equal('api::note.note')
    expect(typeOfAction(`${USER_TYPE}.find`)).to.equal(USER_TYPE)
  })
})
