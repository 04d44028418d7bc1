import { expect } from 'chai'
import {
  OperandError,
  operandsOf,
  operandValue,
  sampleOperands,
  withValues,
} from '../../../src/people/rules/operands.ts'
import { parseFilters } from '../../../src/query/parse-filters.ts'
import { compile, componentFile, typeFile } from '../../schema/define.ts'

const SCALARS = {
  text: { type: 'string' },
  whole: { type: 'integer' },
  half: { type: 'float' },
  price: { type: 'decimal' },
  big: { type: 'biginteger' },
  open: { type: 'boolean' },
  mail: { type: 'email' },
  day: { type: 'date' },
  at: { type: 'datetime' },
  stamp: { type: 'timestamp' },
  hour: { type: 'time' },
  size: { type: 'enumeration', enum: ['a'.repeat(24), 'other'] },
} as const
const toOne = (target: string) => ({ type: 'relation', relation: 'manyToOne', target })

const { contentTypes } = compile(
  typeFile('member', {
    ...SCALARS,
    secret: { type: 'password' },
    data: { type: 'json' },
    body: { type: 'blocks' },
    part: { type: 'component', component: 'shared.part' },
    team: toOne('api::team.team'),
    page: toOne('api::page.page'),
  }),
  typeFile('team', { name: { type: 'string' }, boss: toOne('api::member.member') }),
  typeFile('page', { title: { type: 'string' } }, { pluginOptions: { i18n: { localized: true } } }),
  componentFile('shared.part', { text: { type: 'string' } }),
)
const users = contentTypes.get('api::member.member')
const NONE = { user: null, now: new Date(0), paths: new Map<string, readonly string[]>() }

describe('operandsOf', () => {
  it('finds operands at any depth', () => {
    const where = { a: [{ b: ['$user'] }], $not: { c: { $lt: '$now' } } }
    expect(operandsOf([where, undefined], users)).to.deep.equal({
      user: true,
      now: true,
      paths: [],
    })
    expect(operandsOf([{ a: '$now' }], users)).to.deep.include({ user: false, now: true })
    expect(operandsOf([{ a: '$user' }], users)).to.deep.include({ user: true, now: false })
  })

  it('takes other values as constants', () => {
    const constants = ['text', 'a$user', '$$user', '$$', 1, true, null, undefined, []]
    expect(operandsOf(constants, undefined)).to.deep.equal({ user: false, now: false, paths: [] })
  })

  it('follows each path from the user once', () => {
    const { user, paths } = operandsOf(['$user.text', { a: '$user.team' }, '$user.text'], users)
    expect(user).to.equal(true)
    expect(
      paths.map(({ text, through, attribute }) => [
        text,
        through.map(({ name }) => name),
        attribute?.name ?? null,
      ]),
    ).to.deep.equal([
      ['$user.text', [], 'text'],
      ['$user.team', ['team'], null],
    ])
    const [longest] = operandsOf(['$user.team.boss.text'], users).paths
    expect(longest?.through.map(({ name }) => name)).to.deep.equal(['team', 'boss'])
    expect(longest?.attribute?.name).to.equal('text')
  })

  for (const [text, problem] of [
    ['$me', '$me is not an operand; operands are $user, $user.<path> and $now'],
    ['$', '$ is not an operand'],
    ['$users', '$users is not an operand'],
    ['$user.none', '$user.none: api::member.member has no attribute none'],
    ['$user.', '$user.: api::member.member has no attribute '],
    ['$user.secret', '$user.secret: secret cannot be compared'],
    ['$user.password', '$user.password: api::member.member has no attribute password'],
    ['$user.team.none', '$user.team.none: api::team.team has no attribute none'],
    ['$user.text.more', '$user.text.more: api::member.member cannot be read through text'],
    ['$user.part', '$user.part: api::member.member cannot be read through part'],
    ['$user.part.text', '$user.part.text: api::member.member cannot be read through part'],
    ['$user.data', '$user.data: data cannot be compared'],
    ['$user.body', '$user.body: body cannot be compared'],
    ['$user.page', '$user.page: api::page.page has locales, so its entries are no operand'],
    ['$user.page.title', '$user.page.title: api::page.page has locales'],
    ['$user.team.boss.team', '$user.team.boss.team leads through more than 2 relations'],
  ] as const) {
    it(`refuses ${text}`, () => {
      expect(() => operandsOf([text], users)).to.throw(OperandError, problem)
    })
  }

  it('refuses computed attributes', () => {
    const text = users?.members.get('text')
    if (users === undefined || text?.kind !== 'scalar') throw new Error('There is no text')
    const computed = { ...text, computed: { needs: [], compute: () => '' } } as never
    const members = new Map([...users.members, ['text', computed]])
    expect(() => operandsOf(['$user.text'], { ...users, members })).to.throw(
      OperandError,
      '$user.text: text cannot be compared',
    )
  })

  it('refuses paths without users', () => {
    expect(() => operandsOf(['$user.text'], undefined)).to.throw(
      OperandError,
      '$user.text: there are no users',
    )
    expect(operandsOf(['$user'], undefined).user).to.equal(true)
  })
})

describe('the samples of operands', () => {
  for (const name of Object.keys(SCALARS)) {
    it(`fit a condition on an attribute like ${name}`, () => {
      const text = `$user.${name}`
      const values = sampleOperands(operandsOf([text], users))
      if (users === undefined) throw new Error('There is no member')
      const rights = { mayRead: () => true, isPermission: true } as const
      const filter = parseFilters(withValues({ [name]: text }, values), users, rights)
      expect(filter).to.not.equal(null)
      expect(values.paths.get(text)).to.have.length(1)
    })
  }

  it('are ids of documents for the user and behind relations', () => {
    const { user, now, paths } = sampleOperands(operandsOf(['$user.team'], users))
    expect(user).to.match(/^[a-z0-9]{24}$/)
    expect(paths.get('$user.team')).to.deep.equal([user])
    expect(now).to.be.instanceOf(Date)
  })
})

describe('the values of operands', () => {
  const values = {
    user: 'ann',
    now: new Date('2026-01-02T03:04:00.000Z'),
    paths: new Map([['$user.teams', ['reds', 'blues']]]),
  }

  for (const [text, value] of [
    ['$user', 'ann'],
    ['$now', '2026-01-02T03:04:00.000Z'],
    ['$user.teams', ['reds', 'blues']],
    ['$user.none', []],
    ['$$user', '$user'],
  ] as const) {
    it(`are ${JSON.stringify(value)} for ${text}`, () => {
      expect(operandValue(text, values)).to.deep.equal(value)
    })
  }

  it('have no user for anonymous callers', () => {
    expect(operandValue('$user', NONE)).to.equal(null)
  })

  it('take their places in a condition, in which constants are texts', () => {
    const where = {
      owner: '$user',
      $or: [{ rank: { $gt: 2 } }, [{ open: true }, { text: '$$5' }]],
      team: { $in: ['$user.teams', 'greens', 3, null] },
      other: '$user.teams',
      text: 'plain',
    }
    expect(withValues(where, values)).to.deep.equal({
      owner: 'ann',
      $or: [{ rank: { $gt: '2' } }, [{ open: 'true' }, { text: '$5' }]],
      team: { $in: ['reds', 'blues', 'greens', '3', null] },
      other: ['reds', 'blues'],
      text: 'plain',
    })
  })
})
